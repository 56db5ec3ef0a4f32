import { exampleNames } from '../example-names.ts';
import { modelsKnown } from '../models-known.ts';
import { isExposed } from '../../engine/api/address.ts';
import { DailiesError, messageOf } from '../../engine/errors.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export function settingsRouter(os: Implementer, { engine, settings, key, host }: Services) {
  return {
    get: os.settings.get.handler(() => ({
      settings: settings.get(),
      key: key.state(),
      exposed: isExposed(settings.get().baseUrl),
      dataFolder: host.dataFolder,
      version: host.version,
    })),
    update: os.settings.update.handler(({ input }) => {
      const changed = settings.change(input);
      engine.updateSettings(changed);
      return changed;
    }),
    setKey: os.settings.setKey.handler(async ({ input }) => {
      const state = await key.set(input.key, input.allowFile);
      engine.keyChanged();
      return state;
    }),
    forgetKey: os.settings.forgetKey.handler(async () => {
      const state = await key.forget();
      engine.keyChanged();
      return state;
    }),
    isKey: os.settings.isKey.handler(({ input }) => key.fingerprint() === input.fingerprint),
    test: os.settings.test.handler(async () => {
      const address = settings.get().baseUrl;
      const { keptFor, from } = key.state();
      if (keptFor !== undefined) {
        const message =
          from === 'environment'
            ? `DAILIES_API_KEY was given for ${keptFor}, not for ${address}. Start Dailies again to use it here.`
            : `The key that is kept was set for ${keptFor}, not for ${address}. Set the key of this address.`;
        return { ok: false, message, models: [], address };
      }
      try {
        const models = await engine.models();
        const message = `The service answers and lists ${models.length} models for this key.`;
        return { ok: true, message, models: models.map(({ id }) => id), address };
      } catch (error) {
        const remedy = error instanceof DailiesError ? ` ${error.remedy}` : '';
        return { ok: false, message: `${messageOf(error)}${remedy}`, models: [], address };
      }
    }),
    models: os.settings.models.handler(() => modelsKnown(engine)),
    exampleName: os.settings.exampleName.handler(({ input }) => ({ names: exampleNames(input.template) })),
    prices: os.settings.prices.handler(() => settings.get().prices),
  };
}
