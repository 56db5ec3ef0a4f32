import { build, type Configuration } from 'electron-builder';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { packageReport } from './package-report.ts';
import { stagePackage } from './stage-package.ts';

/**
 * `npm run package`: installers for this system in `dist/`, with a report of their sizes. `--dir` makes the app's folder
 * alone, `--report` only reports on what is there.
 *
 * Signing, notarising and updates are by environment, so that anybody can build:
 * CSC_LINK and CSC_KEY_PASSWORD (WIN_CSC_LINK … for Windows) sign; so do for Windows AZURE_SIGN_ENDPOINT, AZURE_SIGN_ACCOUNT,
 * AZURE_SIGN_PROFILE and AZURE_SIGN_PUBLISHER, with AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET; APPLE_API_KEY (a file; or APPLE_API_KEY_TEXT, what is in
 * it), APPLE_API_KEY_ID and APPLE_API_ISSUER notarise; DAILIES_UPDATE_URL, or GITHUB_REPOSITORY on a hosted runner, is where the app looks for newer versions. Without
 * the last two it does not look. DAILIES_ELECTRON_DIST is a folder with a runtime to use instead of a downloaded one.
 */
export const root = resolve(import.meta.dirname, '..');
type Environment = Readonly<Record<string, string | undefined>>;

/** What electron-builder.yml leaves to the environment. */
export function configurationFor(env: Environment): Configuration {
  const repository = env['GITHUB_REPOSITORY'];
  const runtime = env['DAILIES_ELECTRON_DIST'];
  const output = env['DAILIES_PACKAGE_OUTPUT'];
  return {
    publish: updatesFrom(env),
    // Packages for Linux name a home page.
    extraMetadata: { homepage: repository ? `https://github.com/${repository}` : 'https://dailies.invalid' },
    ...(runtime && { electronDist: resolve(runtime) }),
    ...(output && { directories: { output: resolve(output) } }),
    // Apple's processors run nothing unsigned; what we sign ourselves cannot have the hardened runtime, which asks for one
    // and the same signer of all parts, and would offer updates that macOS never puts in place.
    ...azureSigning(env),
    ...(!isSignedForMac(env) && { mac: { identity: '-', hardenedRuntime: false, publish: null } }),
  };
}

const isSignedForMac = (env: Environment): boolean => Boolean(env['CSC_LINK'] ?? env['CSC_NAME']);

/** Microsoft's own signing of programs for Windows, which takes the place of a certificate in a file. All of it or none. */
function azureSigning(env: Environment): Pick<Configuration, 'win'> {
  const names = ['AZURE_SIGN_ENDPOINT', 'AZURE_SIGN_ACCOUNT', 'AZURE_SIGN_PROFILE', 'AZURE_SIGN_PUBLISHER'];
  const [endpoint, codeSigningAccountName, certificateProfileName, publisherName] = names.map((name) => env[name]);
  if (endpoint && codeSigningAccountName && certificateProfileName && publisherName)
    return { win: { azureSignOptions: { endpoint, codeSigningAccountName, certificateProfileName, publisherName } } };
  const missing = names.filter((name) => !env[name]);
  if (missing.length === names.length) return {};
  throw new Error(`Signing by Azure also needs ${missing.join(', ')}.`);
}

function updatesFrom(env: Environment): NonNullable<Configuration['publish']> | null {
  const url = env['DAILIES_UPDATE_URL'];
  if (url) return { provider: 'generic', url: checkedUpdateAddress(url) };
  const [owner, repo] = env['GITHUB_REPOSITORY']?.split('/') ?? [];
  return owner && repo ? { provider: 'github', owner, repo, releaseType: 'draft' } : null;
}

/** The app installs what comes from there: nobody on the way may change it or hold it back. */
function checkedUpdateAddress(text: string): string {
  const address = URL.parse(text);
  const isHere = address?.protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(address.hostname);
  if (address?.protocol === 'https:' || isHere) return text;
  throw new Error(
    `DAILIES_UPDATE_URL must begin with https:// (http:// only on this machine, for tests). It is ${text}.`,
  );
}

/** Makes the package for this system. Returns the folder it lies in. */
export async function makePackage(env: Environment, { folderOnly }: { folderOnly: boolean }): Promise<string> {
  if (!existsSync(join(root, 'out', 'main', 'index.js')))
    throw new Error('Nothing was built yet: run `npm run build`.');
  stagePackage(process.platform);
  const config = configurationFor(env);
  await build({ projectDir: root, config, publish: 'never', dir: folderOnly });
  return config.directories?.output ?? join(root, 'dist');
}

/** Hosted runners give secrets as texts, and an empty one for each that does not exist: neither is what signing reads. */
function prepareSecrets(): void {
  for (const [name, value] of Object.entries(process.env)) if (value === '') Reflect.deleteProperty(process.env, name);
  const key = process.env['APPLE_API_KEY_TEXT'];
  if (key === undefined) return;
  const file = join(mkdtempSync(join(tmpdir(), 'dailies-notarise-')), 'key.p8');
  writeFileSync(file, key, { mode: 0o600 });
  process.on('exit', () => rmSync(dirname(file), { recursive: true, force: true }));
  process.env['APPLE_API_KEY'] = file;
}

async function run(args: ReadonlySet<string>): Promise<void> {
  prepareSecrets();
  const output = args.has('--report')
    ? (configurationFor(process.env).directories?.output ?? join(root, 'dist'))
    : await makePackage(process.env, { folderOnly: args.has('--dir') });
  process.stdout.write(packageReport(output));
}

if (import.meta.main) {
  try {
    await run(new Set(process.argv.slice(2)));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    process.stderr.write(`The package could not be made: ${message}\n`);
    if (code && /^(ENOTFOUND|ECONN\w+|EAI_AGAIN|ETIMEDOUT)$/.test(code))
      process.stderr.write('Electron and the tools for installers come from GitHub, which must be reached once.\n');
    process.exitCode = 1;
  }
}
