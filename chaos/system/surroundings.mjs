// Loaded into an api or a worker before its own code (`--import`). It simulates the machine: a clock that a fault can
// set wrong, and the name servers. The gateway's code stays unchanged.
//
//   CHAOS_CLOCK_FILE    file with the error of this process's clock, in milliseconds; read again at SIGUSR2
//   CHAOS_NAME_SERVER   address:port of the only name server
import dns from 'node:dns/promises';
import { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { CHAOS_CLOCK_FILE: clockFile = '', CHAOS_NAME_SERVER: nameServer = '' } = process.env;

if (clockFile !== '') {
  const TrueDate = Date;
  let wrongMs = 0;
  const read = () => {
    wrongMs = existsSync(clockFile) ? Number(readFileSync(clockFile, 'utf8')) : 0;
  };
  read();
  process.on('SIGUSR2', read);
  const now = () => TrueDate.now() + wrongMs;
  globalThis.Date = new Proxy(TrueDate, {
    construct: (target, args, newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
    apply: () => new TrueDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
  });
}

if (nameServer !== '') {
  const TrueResolver = dns.Resolver;
  dns.Resolver = class Resolver extends TrueResolver {
    /** @param {import('node:dns').ResolverOptions} [options] */
    constructor(options) {
      super(options);
      this.setServers([nameServer]);
    }
  };
  syncBuiltinESMExports();
}
