import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { shippedPackages } from './licences.ts';

/**
 * `node scripts/sbom.ts`: what ships, as CycloneDX on standard output. npm knows what is installed; what of it is in the
 * app, bundled or beside, is known by the builds.
 */
export interface Sbom {
  readonly metadata: { readonly component: Readonly<Record<string, unknown>> };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
}

/** An SBOM reduced to some packages, by name and version. */
export function reducedTo(sbom: Sbom, shipped: ReadonlySet<string>, app: string): Sbom {
  const components = sbom.components
    .filter(({ name, version }) => shipped.has(`${name}@${version}`))
    // That we bundle it, and so install it for development alone, is nobody else's matter.
    .map((each) => ({
      ...each,
      properties: each.properties?.filter(({ name }) => !name.endsWith(':development')) ?? [],
    }));
  const refs = new Set(components.map((each) => each['bom-ref']));
  return {
    ...sbom,
    metadata: { ...sbom.metadata, component: { ...sbom.metadata.component, type: 'application', name: app } },
    components,
    dependencies: sbom.dependencies
      .filter(({ ref }) => refs.has(ref) || ref === sbom.metadata.component['bom-ref'])
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
  };
}

if (import.meta.main) {
  const root = resolve(import.meta.dirname, '..');
  const { stdout, status } = spawnSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error('npm could not list what is installed.');
  const all = JSON.parse(stdout) as Sbom;
  const names = shippedPackages().map(({ name, version }) => `${name}@${version}`);
  const electron = all.components.filter(({ name }) => name === 'electron').map((each) => `electron@${each.version}`);
  const shipped = reducedTo(all, new Set([...names, ...electron]), 'Dailies');
  process.stdout.write(`${JSON.stringify(shipped, null, 2)}\n`);
}
