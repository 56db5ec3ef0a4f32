import type { ContractRouterClient } from '@orpc/contract';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { shellContract, type ShellContract } from '../../src/contract/desktop.ts';
import type { Port } from '../../src/server/router/router.ts';

type Calls = ContractRouterClient<ShellContract>;
type Answers = {
  readonly [Name in keyof Calls]?: (input: Parameters<Calls[Name]>[0], signal?: AbortSignal) => Promise<unknown>;
};

/** Answers the engine's process over a port as main does, with what a test says. The contract checks it. */
export function serveShell(answers: Answers, port: Port): void {
  const os = implement(shellContract);
  const router = Object.entries(answers).map(([name, answer]) => {
    const procedure = os[name as keyof Calls] as typeof os.notify;
    const given = answer as NonNullable<Answers['notify']>;
    return [name, procedure.handler(async ({ input, signal }) => (await given(input, signal)) as undefined)];
  });
  new RPCHandler(Object.fromEntries(router) as Record<string, never>).upgrade(port);
}
