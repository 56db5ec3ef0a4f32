import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * `node scripts/natives.ts arm64`: installs the prebuilt natives of another processor beside those of this one, so that
 * one machine packages for both. npm itself installs only those that the machine can run. Nothing else changes, and the
 * packages are checked against the same lock file.
 */
const root = resolve(import.meta.dirname, '..');

interface LockedPackage {
  readonly version?: string;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}
type LockedPackages = Readonly<Record<string, LockedPackage>>;

/** The packages of our natives for one system and processor, as `name@version`. */
export function nativesFor(locked: LockedPackages, platform: string, arch: string): string[] {
  return Object.entries(locked)
    .filter(([path]) => /^node_modules\/(@img\/sharp|@napi-rs\/keyring)-[^/]+$/.test(path))
    .filter(
      ([, { os, cpu, libc = ['glibc'] }]) => os?.includes(platform) && cpu?.includes(arch) && libc.includes('glibc'),
    )
    .map(([path, { version = '' }]) => `${path.slice('node_modules/'.length)}@${version}`);
}

if (import.meta.main) {
  const arch = process.argv[2] ?? '';
  const { packages } = JSON.parse(readFileSync(resolve(root, 'package-lock.json'), 'utf8')) as {
    packages: LockedPackages;
  };
  const wanted = nativesFor(packages, process.platform, arch);
  if (wanted.length === 0) throw new Error(`No natives are known for ${process.platform} on “${arch}”.`);
  process.stdout.write(`${wanted.join('\n')}\n`);
  // Forced, because npm refuses what this machine's processor cannot run.
  const args = ['install', '--no-save', '--force', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted];
  const { status } = spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  process.exitCode = status ?? 1;
}
