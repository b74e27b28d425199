// Faults of the parties: dead, silent, slow or wrong, one party or several at once. Some faults change the
// address of a party.
import type { Conduct } from '../system/fault-proxy.ts';
import type { Names } from '../system/names.ts';
import type { ChaosSystem } from '../system/system.ts';
import { heal, type Fault, type Stage } from './fault.ts';

type Kind = 'source' | 'destination' | 'fxp';

const partiesOf =
  (...kinds: readonly Kind[]) =>
  ({ parties: everybody }: Names): readonly string[] => {
    const parties = everybody.filter((one) => kinds.some((kind) => one.startsWith(kind)));
    return [...parties, ...kinds.map((kind) => parties.filter((one) => one.startsWith(kind)).join(','))];
  };

const proxiesOf = ({ system, target }: Stage) =>
  target.split(',').flatMap((party) => system.parties.proxies.get(party) ?? []);

const conduct = (way: Conduct) => async (stage: Stage) => {
  const proxies = proxiesOf(stage);
  await Promise.all(proxies.map((proxy) => proxy.conduct(way)));
  await stage.wait(stage.durationMs);
  await Promise.all(proxies.map((proxy) => proxy.conduct('pass')));
};

const wrongs: readonly Conduct[] = [
  'refuse',
  'silent',
  'hang',
  'reset',
  'lose-answer',
  'slow',
  'unasked',
  'twice',
  'fail',
  'fail-for-now',
  'fail-late',
  'gone',
  'garbage',
  'endless',
  'redirect',
];

/**
 * Gives about 40 % of all parties a random fault each, so that one payment meets two or three faults at
 * once.
 */
async function severalAtOnce(stage: Stage): Promise<void> {
  const all = [...stage.system.parties.proxies.values()];
  const victims = all.filter(() => stage.random.chance(40));
  await Promise.all(victims.map((proxy) => proxy.conduct(stage.random.pick(wrongs))));
  await stage.wait(stage.durationMs);
  await Promise.all(victims.map((proxy) => proxy.conduct('pass')));
}

/**
 * Makes a party fail and recover about every second, so that breakers open and close, and attempts meet every
 * state of a breaker.
 */
async function flap(stage: Stage): Promise<void> {
  const proxies = proxiesOf(stage);
  while (!stage.isOver()) {
    const way = stage.random.pick(wrongs);
    await Promise.all(proxies.map((proxy) => proxy.conduct(way)));
    await stage.wait(stage.random.integer(300, 1_500));
    await Promise.all(proxies.map((proxy) => proxy.conduct('pass')));
    await stage.wait(stage.random.integer(300, 1_500));
  }
}

const table = { destination: 'operators', fxp: 'fxp_endpoints' } as const;
const columns = {
  destination: ['operator_id', 'endpoint_url'],
  fxp: ['fxp_id', 'notification_url'],
} as const;

function addressOf(party: string): { readonly kind: 'destination' | 'fxp'; readonly id: string } {
  const [kind = '', id = ''] = party.split('/');
  if (kind !== 'destination' && kind !== 'fxp') throw new Error(`its address is not registered: ${party}`);
  return { kind, id };
}

async function register(
  system: ChaosSystem,
  party: string,
  change: (url: string) => string,
): Promise<string> {
  const { kind, id } = addressOf(party);
  const [key, column] = columns[kind];
  const where = kind === 'fxp' ? `${column} like '%/' || $1 || '/%'` : `${key} = $1`;
  const [row] = await system.query<{ url: string }>(
    `select ${column} as url from ${table[kind]} where ${where}`,
    [id],
  );
  if (row === undefined) throw new Error(`no such party: ${party}`);
  await system.query(`update ${table[kind]} set ${column} = $2 where ${where}`, [id, change(row.url)]);
  return row.url;
}

/**
 * Registers a new address for the party. The old address then counts as a stranger's, and the gateway must
 * not connect to it (CBK-5, I-7).
 */
async function move(stage: Stage): Promise<void> {
  const { system, target } = stage;
  const proxy = system.parties.otherAddresses.get(target);
  if (proxy === undefined) throw new Error(`it has no other address: ${target}`);
  const before = await register(system, target, (url) => {
    const moved = new URL(url);
    moved.host = proxy.origin;
    return moved.href;
  });
  const old = system.parties.proxies.get(target);
  await stage.wait(graceMs);
  const end = old?.onTraffic((direction) => {
    if (direction === 'request')
      system.trap.connections.push({ at: new Date().toISOString(), address: `${target} at its old address` });
  });
  await stage.wait(stage.durationMs);
  end?.();
  await heal(() => register(system, target, () => before));
}

const graceMs = 11_000; // REF-6 delays the change; then a running request takes at most 10 s (SEC-5)

/** Registers a host name for the party. The name server for this name does not answer (CBK-3). */
async function loseName(stage: Stage): Promise<void> {
  const { system, target } = stage;
  const before = await register(system, target, (url) => {
    const named = new URL(url);
    return `https://${target.replace('/', '-').toLowerCase()}.chaos.test${named.pathname}`;
  });
  await stage.wait(stage.durationMs);
  await heal(() => register(system, target, () => before));
}

const ways: readonly (readonly [way: Conduct, word: string, tells: string])[] = [
  ['refuse', 'refuses', 'refuses connections'],
  ['silent', 'is-silent', 'takes connections and says nothing'],
  ['hang', 'never-answers', 'reads what it is sent and never answers'],
  ['reset', 'resets', 'resets the connection when it is spoken to'],
  ['lose-answer', 'answers-are-lost', 'does what it is asked, and its answer is lost in a reset'],
  ['slow', 'is-slow', 'answers 700 ms late'],
  ['unasked', 'answers-unasked', 'sends an HTTP 200 that nobody asked for after each of its answers'],
  ['twice', 'answers-twice', 'sends each of its answers twice, in one piece'],
  ['fail', 'fails', 'answers 503 at once'],
  ['fail-for-now', 'fails-for-now', 'answers 503 with a Retry-After'],
  ['fail-late', 'fails-late', 'answers 503 after 300 ms'],
  ['gone', 'is-gone', 'answers 410: what it should be told then becomes a dead letter'],
  ['garbage', 'answers-garbage', 'answers 200 with something that is no message'],
  ['endless', 'never-ends', 'answers 200 with a body that never ends'],
  ['redirect', 'redirects', 'redirects to an address that nobody registered'],
];
const kinds: readonly (readonly [kind: Kind, tells: string])[] = [
  ['source', 'A source operator'],
  ['destination', 'A destination operator'],
  ['fxp', 'An FX provider'],
];

/**
 * Whether the answer acknowledges the message and is therefore no fault. Any 2xx acknowledges, whatever its
 * body (CBK-4). A destination must answer with a valid body.
 */
const isAcknowledgement = (kind: Kind, way: Conduct) =>
  kind !== 'destination' && (way === 'garbage' || way === 'endless');

const single = kinds.flatMap(([kind, who]) =>
  ways
    .filter(([way]) => !isAcknowledgement(kind, way))
    .map(([way, word, tells]): Fault => ({
      name: `${kind}-${word}`,
      tells: `${who}, or all of them, ${tells}.`,
      seconds: [3, 25],
      groups: [kind],
      targets: partiesOf(kind),
      play: conduct(way),
    })),
);

export const partyFaults: readonly Fault[] = [
  ...single,
  {
    name: 'receivers-fail-together',
    tells: 'Four in ten of all parties fail at once, each in a way of its own.',
    seconds: [5, 25],
    groups: ['source', 'destination', 'fxp'],
    targets: () => ['parties'],
    play: severalAtOnce,
  },
  {
    name: 'receivers-come-and-go',
    tells: 'Parties fail and recover every second, in changing ways.',
    seconds: [5, 20],
    groups: ['source', 'destination', 'fxp'],
    targets: partiesOf('source', 'destination', 'fxp'),
    play: flap,
  },
  {
    name: 'destination-moves',
    tells: 'An operator’s registered address changes; the old one belongs to a stranger.',
    seconds: [14, 30],
    groups: ['destination', 'fxp'],
    targets: ({ movable }) => movable.filter((one) => one.startsWith('destination')),
    play: move,
  },
  {
    name: 'name-server-silent',
    tells: 'A party’s name cannot be resolved: its name server says nothing.',
    seconds: [5, 20],
    groups: ['destination', 'fxp'],
    targets: ({ parties }) => parties.filter((one) => !one.startsWith('source')),
    play: loseName,
  },
];
