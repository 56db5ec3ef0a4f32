import { registerHooks } from 'node:module';

/**
 * Has sharp make pictures by its WebAssembly build in this process.
 *
 * Electron on Linux links the system's GLib, and sharp's native library brings one of its own. In one process each is
 * handed the other's objects, and sooner or later a picture ends the process, with no error to catch. sharp takes the
 * WebAssembly build by itself where there is no native one: a package for Linux has none for the app. A checkout has, for
 * the command, and is told here that it has not.
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
