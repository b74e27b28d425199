// Rule ids in the generated pages of this folder as links to the text of the rule.
const codeOrRule =
  /```[^]*?```|`[^`\n]*`|\b(?:MON|REF|FEE|FX|QUO|MSG|PAY|DUP|TIM|RES|NOT|CBK|LIF|ADM|REC|OBS|OVL|SEC)-\d+\b/g;

/** What stands between backticks stays as it is: it is what somebody sees on the wire. */
export function linkRules(markdown: string): string {
  return markdown.replaceAll(codeOrRule, (text) =>
    text.startsWith('`') ? text : `[${text}](rules.md#${text.toLowerCase()})`,
  );
}
