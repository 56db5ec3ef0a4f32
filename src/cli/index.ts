#!/usr/bin/env node
/** The command's entry point. Imports nothing, so that it can report a Node.js too old for the libraries below. */
const OLDEST = [22, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);

if (isNewEnough) {
  await import('./start.ts');
} else {
  process.stderr.write(
    `Dailies needs Node.js ${OLDEST.join('.')} or newer; this is ${process.versions.node}.\n` +
      'In a checkout `npm run --silent dailies -- …` brings the right one.\n',
  );
  process.exitCode = 2;
}

// Makes this file a module, which the await above needs.
export {};
