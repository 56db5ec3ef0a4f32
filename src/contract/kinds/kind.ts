import * as z from 'zod';
import { allKinds } from './all.ts';

export const Kind = z.enum(allKinds.map(({ kind }) => kind));
export type Kind = z.infer<typeof Kind>;
