import { registerHooks } from 'node:module';

/** Given to `node --import`: an import of electron in this process gets the stand-in. */
registerHooks({
  resolve(specifier, context, next) {
    if (specifier !== 'electron') return next(specifier, context);
    return { url: new URL('./index.ts', import.meta.url).href, shortCircuit: true };
  },
});
