// A machine that has no port left for another connection to a receiver: each send takes one, and after an answer it is
// kept for a minute by whoever closes first.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('few-ports-child.ts', import.meta.url));
const fewPorts = [
  'ip link set lo up',
  'ip address add 8.8.8.8/32 dev lo',
  'echo "40000 40015" > /proc/sys/net/ipv4/ip_local_port_range',
  'exec "$0" --import tsx "$1"',
].join(' && ');
const canUnshare = spawnSync('unshare', ['-rn', 'ip', 'link', 'set', 'lo', 'up']).status === 0;

test.skipIf(!canUnshare)(
  'a port that this machine is short of says nothing about the receiver: its breaker stays closed (CBK-3, TIM-3)',
  { timeout: 30_000 },
  () => {
    const { stdout } = spawnSync('unshare', ['-rn', 'sh', '-c', fewPorts, process.execPath, program]);
    const results = JSON.parse(stdout.toString()) as string[];
    expect(results.slice(0, 16)).toEqual(Array.from({ length: 16 }, () => 'ANSWERED'));
    expect(results.slice(16).some((result) => result.startsWith('NOT_SENT'))).toBe(true);
    expect(results).not.toContain('breaker-open');
  },
);
