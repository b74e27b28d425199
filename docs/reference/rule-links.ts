// Turns rule ids in the generated pages of this folder into links to the rules.
const codeOrRule =
  /```[^]*?```|`[^`\n]*`|\b(?:MON|REF|FEE|FX|QUO|MSG|PAY|DUP|TIM|RES|NOT|CBK|LIF|ADM|REC|OBS|OVL|SEC)-\d+\b/g;

/** Leaves code in backticks unchanged, because it shows exact wire content. */
export function linkRules(markdown: string): string {
  return markdown.replaceAll(codeOrRule, (text) =>
    text.startsWith('`') ? text : `[${text}](rules.md#${text.toLowerCase()})`,
  );
}
