// The stylesheet: a few tokens, and what uses them. No build step, and nothing from elsewhere.
export const style = `
:root {
  color-scheme: light dark;
  --paper: #ffffff; --ground: #f4f6f8; --ink: #17212b; --quiet: #51606e; --line: #d3dae1;
  --accent: #0b5c8a; --on-accent: #ffffff;
  --good: #17663a; --good-ground: #e2f3e8; --bad: #a11a22; --bad-ground: #fbe6e7;
  --warn: #7a4b00; --warn-ground: #fdf0d8;
  --space: 0.75rem; --round: 6px;
  font: 16px/1.5 system-ui, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #18202a; --ground: #10161d; --ink: #e8edf2; --quiet: #a9b6c2; --line: #37434f;
    --accent: #7cc4ee; --on-accent: #0d151c;
    --good: #86dba8; --good-ground: #16301f; --bad: #ff9ea3; --bad-ground: #3d1a1d;
    --warn: #f4c979; --warn-ground: #38290f;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: var(--space); top: var(--space); background: var(--paper); padding: var(--space); }
header.top { background: var(--paper); border-bottom: 1px solid var(--line); padding: var(--space); display: flex; flex-wrap: wrap; gap: var(--space); align-items: center; }
header.top strong a { color: var(--ink); text-decoration: none; font-size: 1.15rem; }
header.top nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; flex: 1; }
nav a[aria-current] { color: var(--ink); font-weight: 600; text-decoration-thickness: 3px; }
.who { display: flex; flex-wrap: wrap; gap: var(--space); align-items: center; color: var(--quiet); }
main { padding: var(--space); max-width: 80rem; margin: 0 auto; }
h1 { font-size: 1.5rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.1rem; margin: 0 0 0.5rem; }
h3 { font-size: 1rem; margin: 0.75rem 0 0.25rem; }
section, .card { background: var(--paper); border: 1px solid var(--line); border-radius: var(--round); padding: var(--space); margin: var(--space) 0; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 var(--space); align-items: start; }
.quiet, .says, caption, figcaption { color: var(--quiet); }
h2 + .scroll caption { position: absolute; left: -999px; } /* the heading says it */
caption { text-align: left; font-size: 0.875rem; padding-bottom: 0.25rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.9rem; }
th, td { text-align: left; padding: 0.35rem 0.6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number { white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
.money, time, .id, .rule { white-space: nowrap; font-variant-numeric: tabular-nums; }
.id, code { font-family: ui-monospace, monospace; font-size: 0.9em; }
code { overflow-wrap: anywhere; }
pre { overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--ground); padding: var(--space); border-radius: var(--round); }
.badge { display: inline-block; border-radius: 4px; padding: 0 0.4rem; font-weight: 600; font-size: 0.85em; border: 1px solid var(--line); }
.badge.good { color: var(--good); background: var(--good-ground); }
.badge.bad { color: var(--bad); background: var(--bad-ground); }
.badge.warn { color: var(--warn); background: var(--warn-ground); }
.tiles { display: flex; flex-wrap: wrap; gap: var(--space); margin: var(--space) 0; }
.tile { background: var(--paper); border: 1px solid var(--line); border-radius: var(--round); padding: var(--space); text-decoration: none; color: var(--ink); flex: 1 1 10rem; }
.tile strong { display: block; font-size: 1.75rem; }
.tile.bad { border-color: var(--bad); background: var(--bad-ground); }
.tile.warn { border-color: var(--warn); background: var(--warn-ground); }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); gap: 0.5rem var(--space); margin: 0; }
.facts dt { color: var(--quiet); font-size: 0.85rem; }
.facts dd { margin: 0; overflow-wrap: anywhere; }
.notice { border-radius: var(--round); padding: var(--space); margin: var(--space) 0; border: 1px solid var(--line); background: var(--paper); }
.notice.bad { color: var(--bad); background: var(--bad-ground); border-color: var(--bad); }
.notice.good { color: var(--good); background: var(--good-ground); border-color: var(--good); }
.empty { color: var(--quiet); }
form.inline { display: inline; }
form.filters, .fields { display: flex; flex-wrap: wrap; gap: var(--space); align-items: end; }
.fields:has(textarea) { flex-direction: column; align-items: stretch; }
.fields:has(textarea) button { align-self: flex-start; }
.document { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 18rem), 1fr)); gap: var(--space); align-items: start; }
.document > div, .document > fieldset { min-width: 0; margin: 0; }
.filters > div, .fields > div { max-width: 100%; min-width: 0; }
label { display: block; font-size: 0.9rem; }
input, select, textarea { font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--quiet); border-radius: 4px; padding: 0.35rem 0.5rem; max-width: 100%; }
textarea { width: 100%; min-height: 6rem; font-family: ui-monospace, monospace; font-size: 0.9rem; }
input[type='checkbox'] { width: 1.1rem; height: 1.1rem; vertical-align: middle; }
button { font: inherit; background: var(--accent); color: var(--on-accent); border: 1px solid var(--accent); border-radius: 4px; padding: 0.35rem 0.9rem; cursor: pointer; }
.document input { width: 100%; }
button.plain { background: none; color: var(--accent); }
details > summary { cursor: pointer; padding: 0.25rem 0; }
.hint { color: var(--quiet); font-size: 0.85rem; display: block; }
.chart svg { width: 100%; max-width: 30rem; height: auto; }
.chart text { fill: var(--ink); font-size: 12px; }
.chart rect { fill: var(--accent); }
figure { margin: 0 0 var(--space); }
ol.way { list-style: none; margin: 0; padding: 0; }
ol.way > li { border-left: 3px solid var(--line); padding: 0 0 var(--space) var(--space); margin-left: 0.5rem; overflow-wrap: anywhere; }
ol.way > li.in { border-color: var(--accent); }
ol.way > li.out { border-color: var(--good); }
ol.way > li.bad { border-color: var(--bad); }
.lanes text { fill: var(--ink); font-size: 13px; }
.lanes line { stroke: var(--quiet); stroke-width: 1.5; }
.lanes .party { stroke: var(--line); stroke-width: 2; }
.lanes .arrow { stroke: var(--accent); stroke-width: 2; }
.lanes .head { fill: var(--accent); }
.lanes .late { fill: var(--quiet); font-size: 11px; }
.lanes svg { width: 100%; max-width: 60rem; min-width: 40rem; height: auto; }
.before { color: var(--bad); } .after { color: var(--good); }
.sign-in { max-width: 26rem; margin: 2rem auto; }
.sign-in input, .sign-in select, .sign-in button { width: 100%; margin-bottom: var(--space); }
footer { padding: var(--space); text-align: center; color: var(--quiet); font-size: 0.85rem; }
h1 .id { white-space: normal; }
@media (max-width: 40rem) { .scroll { box-shadow: inset -14px 0 12px -12px var(--quiet); } header.top { display: block; } th, td { padding: 0.3rem 0.4rem; white-space: nowrap; } td pre { white-space: pre; } }
`;
