import type { GroupName } from '../rows/groups.ts';

export type ColumnName =
  'state' | 'track' | 'shot' | 'take' | 'kind' | 'model' | 'text' | 'elapsed' | 'expected' | 'cost' | 'batch';

export interface Column {
  readonly name: ColumnName;
  readonly title: string;
  /** For `grid-template-columns`. */
  readonly width: string;
  readonly right?: boolean;
}

/** Below it only what tells the rows apart is shown; from `wide` on everything is. Pixels. */
const narrow = 760;
const wide = 1040;
/** Below it a reason has the room of the stage, which the state says as well. Pixels. */
const roomy = 960;

/** The columns of a group in a list so many pixels wide: what matters least goes first. */
export function columnsFor(group: GroupName, width: number): readonly Column[] {
  const reasoned = group === 'undecided' || group === 'failed';
  const moving = group === 'under-way' || group === 'waiting';
  const columns: (Column | false)[] = [
    { name: 'state', title: 'State', width: reasoned ? '172px' : '116px' },
    width >= (reasoned ? roomy : narrow) && group !== 'waiting' && { name: 'track', title: 'Stage', width: '72px' },
    { name: 'shot', title: 'Shot', width: reasoned ? 'minmax(72px, 1fr)' : 'minmax(88px, 1.2fr)' },
    { name: 'take', title: 'Take', width: '40px', right: true },
    { name: 'kind', title: 'Kind', width: width >= wide ? '72px' : '40px' },
    width >= narrow && { name: 'model', title: 'Model', width: 'minmax(96px, 1fr)' },
    {
      name: 'text',
      title: reasoned ? 'Reason' : 'Prompt',
      width: reasoned ? 'minmax(96px, 5fr)' : 'minmax(96px, 3fr)',
    },
    group === 'failed' && width >= narrow && { name: 'cost', title: 'Cost', width: '104px' },
    { name: 'elapsed', title: elapsedTitles[group], width: width >= narrow ? '100px' : '80px', right: true },
    moving && { name: 'expected', title: 'Expected', width: '88px', right: true },
    width >= wide && { name: 'batch', title: 'Project / batch', width: 'minmax(120px, 1.4fr)' },
  ];
  return columns.filter((column) => column !== false);
}

const elapsedTitles: Readonly<Record<GroupName, string>> = {
  'under-way': 'Elapsed',
  undecided: 'Since',
  failed: 'Since',
  waiting: 'Waiting for',
  done: 'At',
};

export const templateOf = (columns: readonly Column[]): string => columns.map(({ width }) => width).join(' ');
