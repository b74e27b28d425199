// A person at the portal as a browser would be, without one: keeps its cookie, and names its origin.

export interface Visitor {
  /** `name=value` of its session; undefined: none. */
  readonly cookie: string | undefined;
  get(path: string): Promise<Response>;
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Response>;
  /** The token that the forms of its session carry. */
  csrf(): Promise<string>;
  signIn(clientId: string): Promise<Visitor>;
}

export function visitor(url: string, begin?: string): Visitor {
  const jar = new Map<string, string>(begin === undefined ? [] : [begin.split('=') as [string, string]]);
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (jar.size > 0) headers.set('cookie', cookies());
    const answer = await fetch(`${url}${path}`, { ...init, headers, redirect: 'manual' });
    for (const set of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] ?? '').split('=');
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    return answer;
  }
  const self: Visitor = {
    get cookie() {
      return jar.size === 0 ? undefined : cookies();
    },
    get: (path) => send(path),
    post: (path, fields, headers = {}) =>
      send(path, {
        method: 'POST',
        body: new URLSearchParams(fields),
        headers: { origin: url, 'sec-fetch-site': 'same-origin', ...headers },
      }),
    async csrf() {
      const [, token] = /name="csrf" value="([^"]+)"/.exec(await (await send('/portal')).text()) ?? [];
      if (token === undefined) throw new Error('the page has no form');
      return token;
    },
    async signIn(clientId) {
      const answer = await self.post('/portal/sign-in', {
        client_id: clientId,
        client_secret: `demo-${clientId}`,
      });
      if (answer.status !== 303) throw new Error(`not signed in: ${answer.status} ${await answer.text()}`);
      return self;
    },
  };
  return self;
}
