// The one script. Pages work without it; it writes times in the reader's zone, counts down, and keeps a page current.
export const script = `
const pad = (number) => String(number).padStart(2, '0');
function zoneOf(at) {
  return new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' }).formatToParts(at).find(({ type }) => type === 'timeZoneName').value.replace(/^GMT([+]0)?$/, 'UTC');
}
function localTimes(root) {
  for (const element of root.querySelectorAll('time:not([data-until])')) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    element.textContent = at.getFullYear() + '-' + pad(at.getMonth() + 1) + '-' + pad(at.getDate()) + ' ' +
      pad(at.getHours()) + ':' + pad(at.getMinutes()) + ':' + pad(at.getSeconds()) + ' ' + zoneOf(at);
  }
}
function countDown() {
  for (const element of document.querySelectorAll('time[data-until]')) {
    const left = Math.round((new Date(element.dataset.until) - Date.now()) / 1000);
    const size = Math.abs(left);
    const text = size < 120 ? size + ' s' : size < 7200 ? Math.round(size / 60) + ' min' : Math.round(size / 3600) + ' h';
    element.textContent = left >= 0 ? 'in ' + text : text + ' ago';
  }
}
function isBusy(main) {
  const active = document.activeElement;
  if (main.contains(active) && active.matches('input, select, textarea, button')) return true;
  // what a person has typed must not be lost
  return [...main.querySelectorAll('input, textarea')].some((one) => one.value !== one.defaultValue || one.checked !== one.defaultChecked);
}
function stayCurrent(main) {
  const state = document.getElementById('live');
  let waiting;
  const show = () => {
    if (waiting === undefined || isBusy(main)) return;
    const open = [...main.querySelectorAll('details[open][id]')].map((one) => one.id);
    const focused = document.activeElement && main.contains(document.activeElement) ? document.activeElement.id : '';
    main.innerHTML = waiting;
    waiting = undefined;
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    if (focused) document.getElementById(focused)?.focus();
    localTimes(main);
    countDown();
    if (state) state.textContent = state.dataset.updated + ' ' + new Date().toLocaleTimeString();
  };
  const source = new EventSource(main.dataset.live);
  source.addEventListener('page', (event) => { waiting = JSON.parse(event.data); show(); });
  source.addEventListener('end', () => { source.close(); location.reload(); });
  source.addEventListener('error', () => { if (state) state.textContent = state.dataset.stale; });
  source.addEventListener('stale', () => { if (state) state.textContent = state.dataset.stale; });
  source.addEventListener('full', () => { if (state) state.textContent = state.dataset.stale; });
  setInterval(show, 1000);
}
localTimes(document);
countDown();
setInterval(countDown, 1000);
const main = document.querySelector('main');
if (main.dataset.back) history.replaceState(null, '', main.dataset.back); // a reload must not act again
if (main.dataset.live && 'EventSource' in window) {
  document.getElementById('live').hidden = false;
  stayCurrent(main);
}
`;
