import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `node scripts/test-disk.ts exfat|share|watched`: makes a disk of another kind on a hosted runner and names it in
 * DAILIES_TEST_DISK, which the crash tests put their projects on. It changes the machine, so it works on runners alone.
 */
const work = mkdtempSync(join(tmpdir(), 'dailies-disk-'));

const powershell = (script: string): void =>
  void execFileSync('powershell', ['-NoProfile', '-Command', `$ErrorActionPreference = 'Stop'; ${script}`], {
    stdio: 'inherit',
  });

function folder(): string {
  const path = join(work, 'takes');
  mkdirSync(path);
  return path;
}

/** Opens each new file for a moment so that no one else can, as sync clients and virus scanners do. */
const WATCHER = `
$watcher = [IO.FileSystemWatcher]::new($args[0])
$watcher.IncludeSubdirectories = $true
while ($true) {
  $change = $watcher.WaitForChanged('Created, Renamed', 1000)
  if ($change.TimedOut) { continue }
  try {
    $file = [IO.File]::Open((Join-Path $args[0] $change.Name), 'Open', 'Read', 'None')
    Start-Sleep -Milliseconds 200
    $file.Close()
  } catch {}
}`;

/** Each makes its disk, and returns a folder on it. */
const disks: Readonly<Record<string, () => string>> = {
  'exfat on darwin': () => {
    const image = join(work, 'takes.dmg');
    execFileSync('hdiutil', ['create', '-size', '2g', '-fs', 'ExFAT', '-volname', 'TAKES', image]);
    execFileSync('hdiutil', ['attach', image]);
    return '/Volumes/TAKES';
  },
  'exfat on win32': () => {
    const steps = join(work, 'diskpart.txt');
    const vdisk = join(work, 'takes.vhdx');
    writeFileSync(
      steps,
      [
        `create vdisk file="${vdisk}" maximum=2048 type=expandable`,
        ...['attach vdisk', 'create partition primary', 'format fs=exfat label=TAKES quick', 'assign letter=T'],
      ].join('\r\n'),
    );
    execFileSync('diskpart', ['/s', steps], { stdio: 'inherit' });
    return 'T:\\';
  },
  'share on win32': () => {
    powershell(`New-SmbShare -Name takes -Path '${folder()}' -FullAccess $env:USERNAME`);
    return '\\\\localhost\\takes';
  },
  'watched on win32': () => {
    const path = folder();
    const script = join(work, 'watcher.ps1');
    writeFileSync(script, WATCHER);
    spawn('powershell', ['-NoProfile', '-File', script, path], { detached: true, stdio: 'ignore' }).unref();
    return path;
  },
};

const kind = `${process.argv[2] ?? ''} on ${process.platform}`;
const make = disks[kind];
const { GITHUB_ENV } = process.env;
if (!make || GITHUB_ENV === undefined) throw new Error(`There is no way to make ${kind} here.`);
appendFileSync(GITHUB_ENV, `DAILIES_TEST_DISK=${make()}\n`);
