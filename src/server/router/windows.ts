import type { Services } from '../services.ts';
import type { Implementer } from './implementer.ts';

export const windowsRouter = (os: Implementer, { engine: { windows } }: Services) => ({
  list: os.windows.list.handler(() => windows.list()),
  change: os.windows.change.handler(({ input: { scope, window } }) => windows.change(scope, window)),
  startNow: os.windows.startNow.handler(({ input: { scope } }) => windows.startNow(scope)),
});
