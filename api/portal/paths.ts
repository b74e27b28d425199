// Addresses within the portal.
import { pageHeaders } from './layout.ts';

/** Only pages of the portal: a link to it must not lead elsewhere. */
export const ownPath = (path: string): string =>
  /^\/portal(?:[/?][!-~]*)?$/.test(path) && !/\.\.|\/\/|\\/.test(path) ? path : '/portal';

export const redirect = (location: string, cookie?: string): Response =>
  new Response(null, {
    status: 303,
    headers: { ...pageHeaders, location, ...(cookie !== undefined && { 'set-cookie': cookie }) },
  });
