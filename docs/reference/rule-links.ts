// Turns the rule ids in the generated pages of this folder into links to rules.md.
const codeOrRule =
  /```[^]*?```|`[^`\n]*`|\b(?:MON|REF|FEE|FX|QUO|MSG|PAY|DUP|TIM|RES|NOT|CBK|LIF|ADM|REC|OBS|OVL|SEC)-\d+\b/g;

/**
 * Adds the links to Markdown text. Code in backticks stays unchanged, because it shows exact message content.
 */
export function linkRules(markdown: string): string {
  return markdown.replaceAll(codeOrRule, (text) =>
    text.startsWith('`') ? text : `[${text}](rules.md#${text.toLowerCase()})`,
  );
}
