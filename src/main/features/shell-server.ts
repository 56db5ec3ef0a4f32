import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import {
  shellContract,
  type DesktopAbilities,
  type DesktopEvent,
  type FolderRequest,
  type MenuCommand,
  type PowerEvent,
  type PowerState,
  type UpdateChoice,
} from '../../contract/desktop.ts';
import type { Port } from '../../server/message-port.ts';

/** What main does for the engine's process, and through it for the window. */
export interface Shell {
  readonly abilities: DesktopAbilities;
  pickFolder(request: FolderRequest): Promise<string | null>;
  reveal(path: string): void;
  prepareDrag(files: readonly [string, ...string[]]): Promise<string>;
  menu(commands: readonly MenuCommand[]): void;
  update(choice: UpdateChoice): void;
  notify(note: { readonly title: string; readonly text: string }): void;
  powerState(): PowerState;
  facts(): string[];
  resolveProxy(origin: string): Promise<string>;
  events(signal: AbortSignal | undefined): AsyncGenerator<DesktopEvent, void, void>;
  power(signal: AbortSignal | undefined): AsyncGenerator<PowerEvent, void, void>;
}

/** Answers the engine's process over a port. */
export function serveShell(shell: Shell, port: Port): void {
  const os = implement(shellContract);
  const router = os.router({
    abilities: os.abilities.handler(() => shell.abilities),
    pickFolder: os.pickFolder.handler(async ({ input }) => {
      const path = await shell.pickFolder(input);
      return path === null ? null : { path };
    }),
    reveal: os.reveal.handler(({ input }) => shell.reveal(input.path)),
    prepareDrag: os.prepareDrag.handler(async ({ input }) => ({ drag: await shell.prepareDrag(input.files) })),
    menu: os.menu.handler(({ input }) => shell.menu(input.commands)),
    update: os.update.handler(({ input }) => shell.update(input.choice)),
    notify: os.notify.handler(({ input }) => shell.notify(input)),
    powerState: os.powerState.handler(() => shell.powerState()),
    facts: os.facts.handler(() => shell.facts()),
    resolveProxy: os.resolveProxy.handler(({ input }) => shell.resolveProxy(input.origin)),
    events: os.events.handler(({ signal }) => shell.events(signal)),
    power: os.power.handler(({ signal }) => shell.power(signal)),
  });
  new RPCHandler(router).upgrade(port);
}
