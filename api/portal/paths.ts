// Addresses within the portal.
import { pageHeaders } from './layout.ts';

/** Only pages of the portal: a link to it must not lead elsewhere. */
export function ownPath(path: string): string {
  const [pathname = ''] = path.split('?');
  const isOwn = /^\/portal(?:[/?][!-~]*)?$/.test(path) && !/\/\/|\\/.test(pathname);
  // browsers take `%2e` for a dot
  return isOwn && !/\/(?:\.|%2e){1,2}(?:\/|$)/i.test(pathname) ? path : '/portal';
}

export const redirect = (location: string, cookie?: string): Response =>
  new Response(null, {
    status: 303,
    headers: { ...pageHeaders, location, ...(cookie !== undefined && { 'set-cookie': cookie }) },
  });
