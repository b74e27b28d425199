// Network namespaces that stand for hosts (`--hosts`): one bridge, and one veth pair for each host. A process
// on a host reaches Postgres, Temporal and the load generator of this machine over the bridge.
import { spawnSync } from 'node:child_process';
import { UserError } from '../cli/errors.ts';
import type { ThrowawayPlace } from '../cli/throwaway.ts';

/** Where a process runs: on this machine, or in a network namespace. */
export interface Host {
  readonly address: string;
  /** Address that servers on the host bind. */
  readonly binds: string;
  /** Returns the command that runs a program on the host. */
  readonly command: (program: string, args: readonly string[]) => readonly [string, ...string[]];
  /** Sends connections to `127.0.0.1` on to another host, because partners may be on loopback only (SEC-2). */
  readonly redirect: (to: string, port?: number) => void;
  /** Takes the link down. No packet leaves the host any more, as after a power failure. */
  readonly cutOff: () => void;
}

export interface Network {
  /** Address of this machine on the bridge, and its range in CIDR notation. */
  readonly address: string;
  readonly range: string;
  readonly addHost: () => Host;
}

/** This machine itself. */
export const thisMachine: Host = {
  address: '127.0.0.1',
  binds: '127.0.0.1',
  command: (program, args) => [program, ...args],
  redirect: () => undefined,
  cutOff: () => undefined,
};

const bridge = 'isthmus-bench';
const prefix = '10.77.0';
const firstHost = 10;

/** @throws UserError unless this process may create network namespaces */
export function openNetwork(place: ThrowawayPlace): Network {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    throw new UserError(
      '--hosts creates network namespaces, which only root on Linux may. Run the command as root, or leave out --hosts.',
    );
  removeAll(); // of a benchmark that was killed
  place.atEnd(() => {
    removeAll();
    return Promise.resolve();
  });
  run('ip', 'link', 'add', bridge, 'type', 'bridge');
  run('ip', 'addr', 'add', `${prefix}.1/24`, 'dev', bridge);
  run('ip', 'link', 'set', bridge, 'up');
  let hosts = 0;
  return {
    address: `${prefix}.1`,
    range: `${prefix}.0/24`,
    addHost: () => addHost(hosts++),
  };
}

function addHost(n: number): Host {
  const name = `${bridge}-${n}`;
  const link = `isthmus-${n}`;
  const address = `${prefix}.${firstHost + n}`;
  const inside = (...command: readonly string[]) => run('ip', 'netns', 'exec', name, ...command);
  run('ip', 'netns', 'add', name);
  run('ip', 'link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
  run('ip', 'link', 'set', link, 'master', bridge, 'up');
  inside('ip', 'link', 'set', 'lo', 'up');
  inside('ip', 'addr', 'add', `${address}/24`, 'dev', 'eth0');
  inside('ip', 'link', 'set', 'eth0', 'up');
  inside('sh', '-c', 'echo 1 >/proc/sys/net/ipv4/conf/all/route_localnet');
  inside('iptables', '-t', 'nat', '-A', 'POSTROUTING', '-o', 'eth0', '-j', 'MASQUERADE');
  return {
    address,
    binds: '0.0.0.0',
    command: (program, args) => ['ip', 'netns', 'exec', name, program, ...args],
    redirect: (to, port) => {
      const which = port === undefined ? [] : ['--dport', String(port)];
      const from = ['-A', 'OUTPUT', '-p', 'tcp', '-d', '127.0.0.1', ...which];
      inside('iptables', '-t', 'nat', ...from, '-j', 'DNAT', '--to-destination', to);
    },
    cutOff: () => run('ip', 'link', 'set', link, 'down'),
  };
}

/** Removes the bridge and all namespaces. A veth pair ends with the namespace of one of its ends. */
function removeAll(): void {
  const { stdout } = spawnSync('ip', ['netns', 'list'], { encoding: 'utf8' });
  for (const line of stdout.split('\n')) {
    const [name = ''] = line.split(' ');
    if (name.startsWith(`${bridge}-`)) spawnSync('ip', ['netns', 'del', name]);
  }
  spawnSync('ip', ['link', 'del', bridge]);
}

function run(command: string, ...args: readonly string[]): void {
  const { error, status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (error !== undefined)
    throw new UserError(`--hosts needs the command ${command}. Install iproute2 and iptables.`);
  if (status === 0) return;
  throw new UserError(`--hosts: ${command} ${args.join(' ')} failed: ${stderr.trim()}`);
}
