import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What takes how much room in the packages of a folder, as lines of text. */
export function packageReport(output: string): string {
  const apps = appsIn(output).flatMap(({ name, folder, resources }) => {
    const parts = [
      ['app.asar (the app)', join(resources, 'app.asar')],
      ['natives', join(resources, 'app.asar.unpacked', 'node_modules')],
      ['the command', join(resources, 'app.asar.unpacked', 'cli')],
      ['licences', join(resources, 'licences.txt')],
    ].map(([part = '', path = '']) => [part, bytesOf(path)] as const);
    const all = bytesOf(folder);
    const ours = parts.reduce((sum, [, bytes]) => sum + bytes, 0);
    return [
      line(name, all),
      ...parts.map(([part, bytes]) => line(`  ${part}`, bytes)),
      line('  Electron', all - ours),
      ...licencesIn(join(resources, 'licences.txt')),
    ];
  });
  const installers = readdirSync(output)
    .filter((file) => /\.(dmg|zip|exe|AppImage|deb|rpm)$/.test(file))
    .map((file) => line(file, bytesOf(join(output, file))));
  return [...apps, ...installers, ''].join('\n');
}

interface PackagedApp {
  readonly name: string;
  readonly folder: string;
  readonly resources: string;
}

/** The unpacked apps that electron-builder leaves beside the installers. */
export function appsIn(output: string): PackagedApp[] {
  return readdirSync(output).flatMap((name) => {
    const folder = join(output, name);
    const places = [join(folder, 'resources'), join(folder, 'Dailies.app', 'Contents', 'Resources')];
    const resources = places.find((place) => existsSync(join(place, 'app.asar')));
    return resources ? [{ name, folder, resources }] : [];
  });
}

/** How many packages there are under which licence. */
function licencesIn(file: string): string[] {
  const list = readFileSync(file, 'utf8').split(/^={80}$/m)[1] ?? '';
  const counts = new Map<string, number>();
  for (const [, licence = ''] of list.matchAll(/^\S+ \d\S* +(\S.*)$/gm))
    counts.set(licence, (counts.get(licence) ?? 0) + 1);
  const words = [...counts].sort(([, a], [, b]) => b - a).map(([licence, count]) => `${count} ${licence}`);
  return [`  packages in it: ${words.join(', ')}`];
}

const line = (name: string, bytes: number): string =>
  `${name.padEnd(44)}${(bytes / 1024 ** 2).toFixed(1).padStart(8)} MB`;

function bytesOf(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return 0;
  if (!stat.isDirectory()) return stat.size;
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isSymbolicLink())
    .reduce((sum, entry) => sum + bytesOf(join(path, entry.name)), 0);
}
