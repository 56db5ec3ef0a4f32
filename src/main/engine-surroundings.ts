import tls from 'node:tls';
import { registerHooks } from 'node:module';

/**
 * Trusts the system's authorities besides Node's own, for example that of a studio. The packaged app ignores
 * `NODE_OPTIONS`, so `NODE_EXTRA_CA_CERTS` too. When the system's authorities cannot be read, Node's own remain.
 */
export function trustSystem(node: Pick<typeof tls, 'getCACertificates' | 'setDefaultCACertificates'> = tls): void {
  try {
    const known = new Set(node.getCACertificates('default'));
    const more = node.getCACertificates('system').filter((certificate) => !known.has(certificate));
    if (more.length > 0) node.setDefaultCACertificates([...known, ...more]);
  } catch {
    // A connection that needs one of them says that its authority is not trusted, and sends nothing.
  }
}

/**
 * Makes sharp use its WebAssembly build in this process.
 *
 * Electron on Linux links the system's GLib, and sharp's native library brings its own. In one process each gets the
 * other's objects, and sooner or later a picture ends the process, with no error to catch. sharp takes the WebAssembly
 * build when there is no native one: the Linux package of the app has none. A checkout has one, for the command, so
 * this hides it.
 */
export function usePortableSharp(): void {
  const isPackaged = import.meta.dirname.includes('app.asar');
  if (process.platform !== 'linux' || isPackaged) return;
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('@img/sharp-linux')) return next(specifier, context);
      throw Object.assign(new Error(`${specifier} must not be loaded in Electron.`), { code: 'MODULE_NOT_FOUND' });
    },
  });
}
