import { accountOfService, accountWithId, isAccount, serviceOfAccount } from '../../contract/accounts.ts';
import { requireUnused } from '../../engine/projects/accounts.ts';
import type { Settings } from '../../contract/settings.ts';
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

export function settingsRouter(os: Implementer, { engine, settings, keys, host, messages }: Services) {
  async function takeOver(changed: Settings): Promise<void> {
    await keys.refresh();
    engine.updateSettings(changed);
    engine.keyChanged();
  }
  return {
    get: os.settings.get.handler(() => {
      // Another program may have changed them.
      engine.takeChangedSettings();
      return {
        settings: settings.get(),
        key: keys.of().state(),
        exposed: isExposed(settings.get().baseUrl),
        accounts: settings.get().accounts.map(({ id, baseUrl }) => {
          return { id, key: keys.of(id).state(), exposed: isExposed(baseUrl) };
        }),
        dataFolder: host.dataFolder,
        version: host.version,
      };
    }),
    update: os.settings.update.handler(async ({ input }) => {
      // Another program may have added one: what a window leaves out stays.
      engine.takeChangedSettings();
      const given = input.accounts;
      const others = settings.get().accounts.filter(({ id }) => !given?.some((account) => account.id === id));
      await takeOver(settings.change(given ? { ...input, accounts: [...given, ...others] } : input));
      messages.settingsChanged();
      return settings.get();
    }),
    removeAccount: os.settings.removeAccount.handler(async ({ input }) => {
      engine.takeChangedSettings();
      const { accounts } = settings.get();
      const account = accounts.find(({ id }) => id === input.accountId);
      if (!account) return settings.get();
      requireUnused(engine.stores, account);
      const key = keys.of(account.id);
      await takeOver(settings.change({ accounts: accounts.filter((each) => each !== account) }));
      if (key.state().from !== 'environment') await key.forget();
      return settings.get();
    }),
    setKey: os.settings.setKey.handler(async ({ input }) => {
      const state = await keys.of(input.accountId).set(input.key, input.allowFile);
      engine.keyChanged();
      return state;
    }),
    forgetKey: os.settings.forgetKey.handler(async ({ input }) => {
      const state = await keys.of(input.accountId).forget();
      engine.keyChanged();
      return state;
    }),
    isKey: os.settings.isKey.handler(({ input }) => keys.of(input.accountId).fingerprint() === input.fingerprint),
    test: os.settings.test.handler(async ({ input: { accountId } }) => {
      const address = accountWithId(settings.get(), accountId)?.baseUrl ?? '';
      const { keptFor, from } = keys.of(accountId).state();
      if (keptFor !== undefined) {
        const message = messageFor('service.testKeyElsewhere', { from: from ?? 'none', keyAddress: keptFor, address });
        return { ok: false, message, remedy: '', models: [], address };
      }
      try {
        const models = await engine.models(accountId);
        const proxy = await host.proxyFor(address);
        const message = messageFor('service.testPassed', { count: models.length, proxy: proxy ?? 'none' });
        return { ok: true, message, remedy: '', models: models.map(({ id }) => id), address };
      } catch (error) {
        const remedy = error instanceof DailiesError ? error.remedy : '';
        return { ok: false, message: toText(error), remedy, models: [], address };
      }
    }),
    models: os.settings.models.handler(({ input: { projectId, accountId } }) => {
      const service = projectId === undefined ? serviceOfAccount(accountId) : engine.stores.projects.service(projectId);
      return modelsKnown(engine, isAccount(service) ? accountOfService(service) : null);
    }),
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
async function modelsKnown(engine: Pick<Engine, 'models'>, accountId: string | null): Promise<KnownModel[]> {
  const ofAccount = await engine.models(accountId).catch(() => null);
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
