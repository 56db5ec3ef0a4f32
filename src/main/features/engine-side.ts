import type { HostedEngineOptions } from '../../host/hosted-engine.ts';
import type { Port } from '../../server/message-port.ts';

/**
 * What main does for the engine, as the engine's process asks for it: the other end of `Features.serveDesktop`. Must not
 * import electron, which this process does not have.
 */
export function desktopOver(_port: Port): Pick<HostedEngineOptions, 'keepsAwake'> {
  return { keepsAwake: () => null };
}
