// `npm run browser`: installs Chromium by apt-get for the tests of the portal, if the user is root. It needs
// only Node.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chromiumPath, places } from './chromium.mjs';

/** @param {string[]} args */
function apt(...args) {
  console.log(`▶ apt-get ${args.join(' ')}`);
  const { status } = spawnSync('apt-get', args, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  return status === 0;
}

if (chromiumPath !== undefined) console.log(`✓ ${chromiumPath} is there`);
else if (existsSync('/usr/bin/apt-get') && process.getuid?.() === 0) {
  const isInstalled =
    apt('update', '-qq') &&
    apt('install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core');
  if (!isInstalled) process.exitCode = 1;
  console.log(isInstalled ? '✓ Chromium is installed' : '✗ Chromium could not be installed: see above.');
} else {
  console.log(`✗ There is no Chromium in ${places.join(', ')}. As root: apt-get install chromium`);
  process.exitCode = 1;
}
