import type { App } from 'electron';

interface AppFactsParts {
  readonly app: Pick<App, 'getGPUFeatureStatus' | 'getPreferredSystemLanguages' | 'runningUnderARM64Translation'>;
  readonly env: NodeJS.ProcessEnv;
  readonly platform: NodeJS.Platform;
}

/** What only the app's main process knows of where it runs, as lines of the diagnostics. */
export function appFacts({ app, env, platform }: AppFactsParts): string[] {
  const session = `Session: ${env['XDG_SESSION_TYPE'] ?? 'of unknown type'}, ${env['XDG_CURRENT_DESKTOP'] ?? 'unknown desktop'}`;
  const gpu = Object.entries(app.getGPUFeatureStatus()).map(([feature, status]) => `${feature} ${String(status)}`);
  return [
    ...(platform === 'linux' ? [session] : []),
    `Languages of the system: ${app.getPreferredSystemLanguages().join(', ')}`,
    ...(app.runningUnderARM64Translation ? ['Translated from another processor by the system.'] : []),
    `GPU: ${gpu.join(', ')}`,
  ];
}
