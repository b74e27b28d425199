/**
 * Settings that are safe on loopback only (SEC-1). A public PUBLIC_URL or a trusted proxy means that others reach the
 * process, whatever HOST it binds.
 */
const privateSettings = { DEMO: '1', AUTH: 'none', FOUR_EYES: '0', ALLOW_LOOPBACK_CALLBACKS: '1' } as const;

export type PrivateSetting = keyof typeof privateSettings;

interface Asked {
  /** As it is configured. */
  readonly publicUrl: string;
  readonly names: readonly PrivateSetting[];
}

/** @returns what is wrong, and what to do; undefined: nothing */
export function faultOfPrivate(
  read: (name: PrivateSetting | 'TRUSTED_PROXIES') => string,
  { publicUrl, names }: Asked,
): string | undefined {
  const [, ip6, host = ''] = /^https?:\/\/(?:\[([^\]]*)\]|([^/:]*))/.exec(publicUrl) ?? [];
  const isPublic = !isLoopback(ip6 ?? host);
  const name = names.find((one) => read(one) === privateSettings[one]);
  if (name === undefined || (!isPublic && read('TRUSTED_PROXIES') === '')) return undefined;
  const [where, remedy] = isPublic
    ? ['PUBLIC_URL', 'set PUBLIC_URL to an address on loopback']
    : ['TRUSTED_PROXIES', 'leave TRUSTED_PROXIES out'];
  return `${name}=${privateSettings[name]} is safe on loopback only, and ${where} shows that others can reach this process: leave ${name} out, or ${remedy}.`;
}

/** Whether a server bound there can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}
