import { messageFor } from '../../contract/messages/message.ts';
import { imageSpec } from '../../contract/kinds/image.ts';
import { videoSpec } from '../../contract/kinds/video.ts';
import { isExposed } from '../../engine/api/address.ts';
import { DailiesError, toText, refused } from '../../engine/base/errors.ts';
import type { Services } from '../services.ts';
import type { Implementer } from './errors.ts';
import type { Kind } from '../../contract/kinds/kind.ts';
import type { Engine } from '../../engine/engine.ts';
import { guessedKind, kindOfModel } from '../../engine/models/index.ts';
import { type ListedModel, modelsNamed } from '../../engine/models/index.ts';
import type { ShotSpec } from '../../contract/shot.ts';
import { outputNames, templateProblem, templateWarning } from '../../engine/downloads/take-path.ts';

export function settingsRouter(os: Implementer, { engine, settings, key, host, messages }: Services) {
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
      messages.settingsChanged();
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
        const message = messageFor('service.testKeyElsewhere', { from: from ?? 'none', keyAddress: keptFor, address });
        return { ok: false, message, remedy: '', models: [], address };
      }
      try {
        const models = await engine.models();
        const proxy = await host.proxyFor(address);
        const message = messageFor('service.testPassed', { count: models.length, proxy: proxy ?? 'none' });
        return { ok: true, message, remedy: '', models: models.map(({ id }) => id), address };
      } catch (error) {
        const remedy = error instanceof DailiesError ? error.remedy : '';
        return { ok: false, message: toText(error), remedy, models: [], address };
      }
    }),
    models: os.settings.models.handler(() => modelsKnown(engine)),
    exampleName: os.settings.exampleName.handler(({ input }) => ({
      names: exampleNames(input.template),
      warning: templateWarning(input.template),
    })),
    prices: os.settings.prices.handler(() => settings.get().prices),
  };
}

interface KnownModel extends ListedModel {
  readonly kind: Kind | null;
  readonly ofAccount: boolean;
}

/** The models of the account where it can be asked, else the ones the service's reference names. */
async function modelsKnown(engine: Pick<Engine, 'models'>): Promise<KnownModel[]> {
  const ofAccount = await engine.models().catch(() => null);
  const models: readonly ListedModel[] = ofAccount ?? modelsNamed.map((id) => ({ id }));
  return models.map(({ id, listed }) => ({
    id,
    listed,
    kind: kindOfModel(id) ?? guessedKind(id),
    ofAccount: ofAccount !== null,
  }));
}

const shot: ShotSpec = {
  key: '012_harbour',
  kind: videoSpec.kind,
  model: 'vgen-2.0-cl',
  prompt: 'A harbour at dawn',
  takes: 2,
  params: {},
  extra: {},
  columns: { scene: 'Opening', sequence: '010' },
  priority: 0,
  notes: 'wide',
};

/** How a name template comes out: two takes of a video, one of two images. Throws RefusedError for unpaired braces. */
function exampleNames(template: string): string[] {
  const problem = templateProblem(template);
  if (problem !== null) throw refused('bad_setting', problem, 'remedy.pairBraces');
  const naming = { template, shot, batch: 'Day 1' };
  return [
    ...outputNames({ ...naming, take: 1 }, ['mp4']),
    ...outputNames({ ...naming, take: 2 }, ['mp4']),
    ...outputNames({ ...naming, shot: { ...shot, kind: imageSpec.kind, key: '013_poster' }, take: 1 }, ['png', 'png']),
  ];
}
