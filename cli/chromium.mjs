// Where Debian and Ubuntu install a browser for the tests and the pictures of the portal.
import { existsSync } from 'node:fs';

export const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Undefined: there is none; `npm run browser` installs it. */
export const chromiumPath = places.find((path) => existsSync(path));
