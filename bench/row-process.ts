import type { MeasureRow, RowOptions } from './row.ts';

/** Order for the process that measures a row. */
export interface RowOrder extends RowOptions {
  readonly name: string;
}

/** Measures one row in a process of its own, so that no row runs in the heap of the one before. */
process.once('message', (order: RowOrder) => {
  void measure(order);
});

// The answer has arrived, or nobody waits for it. A process that ended by itself could end before its answer is read.
process.once('disconnect', () => process.exit());

async function measure({ name, ...options }: RowOrder): Promise<void> {
  const row = (await import(`./rows/${name}.ts`)) as { measure: MeasureRow };
  const findings = await row.measure(options);
  process.send?.(findings);
}
