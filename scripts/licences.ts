import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');

/** Licences under which code may be shipped, whatever it is. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Python-2.0',
  'Unlicense',
  'Zlib',
]);

/**
 * Packages under others, or with more in them than their manifest says, each with why it may be shipped all the same; the
 * reason is in the package.
 */
const EXCEPTIONS: readonly { readonly name: RegExp; readonly licence: string; readonly reason: string }[] = [
  {
    name: /^mediabunny$/,
    licence: 'MPL-2.0',
    reason: 'Its files are used as they are; their source is at the address above.',
  },
  {
    name: /^@img\/sharp-(libvips|win32)-/,
    licence: 'LGPL-3.0-or-later',
    reason:
      'It holds libvips as a library of its own, which anybody may replace by another build of it. The texts of both ' +
      'licences stand at the end.',
  },
  {
    name: /^@img\/sharp-wasm32$/,
    licence: 'LGPL-3.0-or-later',
    reason:
      'It holds libvips, linked into one file outside the archive of the app, which anybody may replace by another build ' +
      'of it; the sources are at the address above. The texts of both licences stand at the end.',
  },
  {
    name: /^h264-mp4-encoder$/,
    licence: 'MIT',
    reason: 'It holds minih264 (CC0) and libmp4v2 (MPL 1.1), whose sources are linked at the address above.',
  },
  {
    name: /^@fontsource(?:-variable)?\/inter$/,
    licence: 'OFL-1.1',
    reason: 'The window is set in it, and the demo has the outlines of its letters; it is not sold by itself.',
  },
  { name: /^svelte-toolbelt$/, licence: '', reason: 'Its LICENSE file is that of MIT; only its manifest is silent.' },
];

/** Packages that reach the app by other ways than being imported: in its styles, and in the demo's letters. */
const COPIED_IN = ['node_modules/tailwindcss', 'node_modules/@fontsource/inter'];

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** As its manifest says: an SPDX expression, or empty. */
  readonly licence: string;
  readonly address: string;
  /** Why it is shipped although its licence is not among the allowed ones. */
  readonly exception: string | null;
  readonly texts: readonly string[];
}

/**
 * Every package with code in the app: those bundled by the builds (`out/packages`) and those left outside. Throws, with
 * all their names, when some may not be shipped.
 */
export function shippedPackages(folder = root): ShippedPackage[] {
  const lists = join(folder, 'out', 'packages');
  if (!existsSync(lists)) throw new Error('Nothing was built yet: run `npm run build`.');
  const bundled = readdirSync(lists).flatMap((file) => readFileSync(join(lists, file), 'utf8').split('\n'));
  const folders = new Set([...bundled.filter(Boolean), ...COPIED_IN, ...outside(folder)]);
  const packages = [...folders].sort().map((path) => shippedPackage(join(folder, path)));
  const refused = packages.filter(({ licence, exception }) => exception === null && !isAllowed(licence));
  if (refused.length > 0) {
    const names = refused.map(({ name, licence }) => `${name} (${licence || 'no licence named'})`).join(', ');
    throw new Error(`Not to be shipped under its licence: ${names}. See scripts/licences.ts.`);
  }
  return packages;
}

/** All of one file: a list, then each package's own texts. */
export function licencesText(packages: readonly ShippedPackage[]): string {
  const line = '='.repeat(80);
  const own = readFileSync(join(root, 'LICENSE'), 'utf8');
  const electron = readFileSync(join(root, 'node_modules/electron/LICENSE'), 'utf8');
  const parts = [
    `Dailies\n\n${own}`,
    `Dailies holds code of the packages below, and runs on Electron; the licences of Chromium within it come with each\n` +
      `release of Electron as LICENSES.chromium.html.\n\n${packages.map(inOneLine).join('\n')}`,
    `Electron\n\n${electron}`,
    ...packages.map(inFull),
    ...['LGPL-3.0', 'GPL-3.0'].map((name) => readFileSync(join(root, 'resources/licences', `${name}.txt`), 'utf8')),
  ];
  return parts.map((part) => `${part.trim()}\n`).join(`\n${line}\n\n`);
}

/** Whether every part of an SPDX expression that counts is allowed. */
export function isAllowed(licence: string): boolean {
  const alternatives = licence.replace(/[()]/g, '').split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((part) => ALLOWED.has(part.trim())));
}

const inOneLine = ({ name, version, licence }: ShippedPackage): string =>
  `${name} ${version}`.padEnd(50) + (licence || 'see its text');

function inFull({ name, version, licence, address, exception, texts }: ShippedPackage): string {
  const head = [`${name} ${version}`, licence, address, exception].filter(Boolean).join('\n');
  return [head, ...texts.map((text) => text.trim())].join('\n\n');
}

/** Installed everywhere, and left out of the packages for macOS and Windows: electron-builder.yml. */
const ON_LINUX_ALONE = '@img/sharp-wasm32';

/** The packages that are installed beside the app, theirs included, as far as this system has them. */
function outside(folder: string): Set<string> {
  const found = new Set<string>();
  const visit = (names: readonly string[]): void => {
    for (const name of names) {
      const path = `node_modules/${name}`;
      if (found.has(path) || !existsSync(join(folder, path))) continue;
      if (name === ON_LINUX_ALONE && process.platform !== 'linux') continue;
      found.add(path);
      visit(dependenciesIn(join(folder, path)));
    }
  };
  // Its own optional dependencies are the Node.js that development runs on, which does not ship.
  visit(Object.keys(manifestIn(folder).dependencies ?? {}));
  return found;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

function dependenciesIn(folder: string): string[] {
  const { dependencies, optionalDependencies } = manifestIn(folder);
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

function shippedPackage(folder: string): ShippedPackage {
  const { name, version, license = '', repository, homepage = '' } = manifestIn(folder);
  const address = typeof repository === 'object' ? repository.url : (repository ?? homepage);
  const exception = EXCEPTIONS.find((each) => each.name.test(name) && license.includes(each.licence));
  return { name, version, licence: license, address, exception: exception?.reason ?? null, texts: textsIn(folder) };
}

function textsIn(folder: string): string[] {
  const files = readdirSync(folder);
  const licences = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  // What holds libvips says in its README what else is inside it.
  const holdsMore = licences.length === 0 || /sharp-(wasm32|win32)/.test(folder);
  const said = holdsMore ? [...licences, ...files.filter((file) => /^readme/i.test(file))] : licences;
  return said.map((file) => readFileSync(join(folder, file), 'utf8'));
}

if (import.meta.main) process.stdout.write(licencesText(shippedPackages()));
