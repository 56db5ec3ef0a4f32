import type { ClientContext, ClientLink } from '@orpc/client';
/** The page's own window, as far as ports come through it. */
export type PortGate = Pick<Window, 'addEventListener'>;
/** The engine ended while it was being asked. Main starts it again by itself. */
export declare class EngineGoneError extends Error {
}
/**
 * The connection to the engine inside the desktop app: over the port that main gave this page, and over the next one
 * when there is a new engine. Calls wait until there is one; running ones are rejected when an engine dies.
 */
export declare function linkOverPorts(gate: PortGate, origin: string): ClientLink<ClientContext>;
