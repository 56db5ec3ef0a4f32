import type { CommandFunctions } from './command-function.ts';

export const nights: CommandFunctions<'nights'> = {
  seen: ({ nightReports }, { projectId, night }) => nightReports.seen(projectId, night),
};
