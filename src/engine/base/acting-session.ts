import { AsyncLocalStorage } from 'node:async_hooks';

/** The session of an agent on whose connection something was asked for; see `AgentStore`. */
const acting = new AsyncLocalStorage<string>();

/** Does what an agent's session asks for: the takes it queues and the calls it makes count against its cap. */
export const actFor = <Result>(session: string, work: () => Result): Result => acting.run(session, work);

/** Null for people, and for the engine itself. */
export const actingSession = (): string | null => acting.getStore() ?? null;
