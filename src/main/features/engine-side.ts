import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import type { PowerState, ShellContract } from '../../contract/desktop.ts';
import type { AskSystem } from '../../engine/api/system-proxies.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Port } from '../../server/message-port.ts';
import type { DesktopHost } from '../../server/services.ts';

/**
 * What main does for the engine, as the engine's process asks for it: the other end of `serveDesktop`. Must not
 * import electron, which this process does not have.
 */
export function desktopOver(port: Port) {
  const shell: ContractRouterClient<ShellContract> = createORPCClient(new RPCLink({ port }));
  return {
    powerState: (): Promise<PowerState> => shell.powerState(),
    appFacts: (): Promise<string[]> => shell.facts(),
    askSystem: ((origin) => shell.resolveProxy({ origin })) satisfies AskSystem as AskSystem,
    notify: (note: { readonly title: string; readonly text: string }): Promise<void> => shell.notify(note),
    /** For the window of the app. Browsers that are served beside it have none of this. */
    desktop: {
      abilities: () => shell.abilities(),
      pickFolder: (request) => shell.pickFolder(request),
      reveal: (path) => shell.reveal({ path }),
      prepareDrag: async (files) => (await shell.prepareDrag({ files })).drag,
      menu: (commands) => shell.menu({ commands }),
      update: (choice) => shell.update({ choice }),
      events: (signal) => shell.events(undefined, { signal }),
    } satisfies DesktopHost as DesktopHost,
    /** Lets the queue rest while the machine sleeps, until the signal is aborted. */
    async followPower(queue: Pick<Engine['queue'], 'rest' | 'wake'>, signal: AbortSignal): Promise<void> {
      try {
        for await (const event of await shell.power(undefined, { signal })) {
          if (event === 'suspend') queue.rest();
          else queue.wake();
        }
      } catch {
        // The end of the listening, or of main; a rest ends by itself.
      }
    },
  };
}
