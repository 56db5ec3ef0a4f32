/** What another program is started with: the environment without what is ours alone, the key above all. */
export function environmentForOthers(env: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith('DAILIES_')));
}
