import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

/**
 * Runs scripts of package.json at once, and fails when one of them does: `node scripts/side-by-side.ts lint build`. What
 * each has said comes in one piece, when it ends.
 */
async function run(script: string): Promise<boolean> {
  // npm is a script of a shell on Windows, and the names are our own.
  const child = spawn(`npm run --silent ${script} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  process.stdout.write(await text(child.stdout));
  return (await ended) === 0;
}

const ends = await Promise.all(process.argv.slice(2).map(run));
process.exitCode = ends.every(Boolean) ? 0 : 1;
