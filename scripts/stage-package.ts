import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import ts from 'typescript';
import { licencesText, shippedPackages } from './licences.ts';

const root = resolve(import.meta.dirname, '..');

/**
 * Lays out in `out/package` what a package holds beside the app's archive, as it is to lie in its folder of resources:
 * the command, which a plain Node.js runs, a launcher for it, and the licences.
 */
export function stagePackage(platform: NodeJS.Platform): void {
  const staged = join(root, 'out', 'package');
  rmSync(staged, { recursive: true, force: true });
  stageCommand(join(staged, 'app.asar.unpacked', 'cli'));
  stageLauncher(join(staged, 'bin'), platform);
  writeFileSync(join(staged, 'licences.txt'), licencesText(shippedPackages()));
}

/**
 * The command is a copy outside the archive, which a plain Node.js could not read, below the folder of the natives it
 * loads. The app runs its own from inside, where integrity is checked.
 */
function stageCommand(folder: string): void {
  for (const file of ['cli.js', 'workbook-reader.js', 'facts-reader.js', 'hash-thread.js'].flatMap((entry) => [
    ...loadedBy(entry),
  ])) {
    const to = join(folder, 'out', 'main', file);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(join(root, 'out', 'main', file), to);
  }
  cpSync(join(root, 'out', 'renderer'), join(folder, 'out', 'renderer'), { recursive: true });
  cpSync(join(root, 'resources', 'samples'), join(folder, 'resources', 'samples'), { recursive: true });
  const { name, version, type, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, type, license }, null, 2)}\n`);
}

type Manifest = Readonly<Record<'name' | 'version' | 'type' | 'license', string>>;

/** The files of the build that an entry of it can come to load, itself included. */
export function loadedBy(entry: string): Set<string> {
  const built = join(root, 'out', 'main');
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file)) return;
    found.add(file);
    const { importedFiles } = ts.preProcessFile(readFileSync(join(built, file), 'utf8'), true, true);
    for (const { fileName } of importedFiles)
      if (fileName.startsWith('.')) visit(join(dirname(file), fileName).replaceAll('\\', '/'));
  };
  visit(entry);
  return found;
}

function stageLauncher(folder: string, platform: NodeJS.Platform): void {
  const name = platform === 'win32' ? 'dailies.cmd' : 'dailies';
  const text = readFileSync(join(root, 'resources', 'bin', name), 'utf8');
  mkdirSync(folder, { recursive: true });
  // Windows reads jump targets in scripts wrongly when lines end as ours do.
  writeFileSync(join(folder, name), platform === 'win32' ? text.replace(/\r?\n/g, '\r\n') : text);
  if (platform !== 'win32') chmodSync(join(folder, name), 0o755);
}
