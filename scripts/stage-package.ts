import { spawnSync } from 'node:child_process';
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

/** The launcher: a script, and on Windows a program, since a script of cmd.exe is given & and % otherwise than they were typed. */
export function stageLauncher(folder: string, platform: NodeJS.Platform): void {
  const source = join(root, 'resources', 'bin');
  mkdirSync(folder, { recursive: true });
  if (platform !== 'win32') {
    cpSync(join(source, 'dailies'), join(folder, 'dailies'));
    chmodSync(join(folder, 'dailies'), 0o755);
    return;
  }
  if (compiled(join(source, 'dailies.c'), join(folder, 'dailies.exe'))) return;
  process.stderr.write(
    'No gcc of MinGW-w64 is on the PATH: the command for Windows is a script, which changes & and %.\n',
  );
  // Windows reads jump targets in scripts wrongly when lines end as ours do.
  const script = readFileSync(join(source, 'dailies.cmd'), 'utf8').replace(/\r?\n/g, '\r\n');
  writeFileSync(join(folder, 'dailies.cmd'), script);
}

/** Whether there was a compiler for it. Throws when it does not compile. */
function compiled(source: string, program: string): boolean {
  const compiler = process.platform === 'win32' ? 'gcc' : 'x86_64-w64-mingw32-gcc';
  const options = ['-Os', '-s', '-static', '-Wall', '-Wextra', '-Werror', '-o', program, source];
  const { error, status } = spawnSync(compiler, options, { stdio: 'inherit' });
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'ENOENT') return false;
  if (error) throw error;
  if (status !== 0) throw new Error('The launcher for Windows does not compile.');
  return true;
}
