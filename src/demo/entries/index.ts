import type { Route } from './route.ts';
import { assetGroupRoutes } from './asset-groups.ts';
import { assetRoutes } from './assets.ts';
import { compatibleVideoRoutes } from './compatible-videos.ts';
import { embeddingRoutes } from './embeddings.ts';
import { generateContentRoutes } from './generate-content.ts';
import { imageRoutes } from './images.ts';
import { jobStyleRoutes } from './job-style.ts';
import { modelRoutes } from './models.ts';
import { musicRoutes } from './music.ts';
import { resultRoutes } from './results.ts';
import { speechRoutes } from './speech.ts';
import { taskRoutes } from './tasks.ts';
import { textRoutes } from './text.ts';
import { typographyRoutes } from './typography.ts';
import { videoRoutes } from './videos.ts';
import { webRoutes } from './web.ts';

/**
 * Every entry of the service. To add one:
 *
 * 1. Write a file here: the fields it takes (a zod schema, read by `parseFields`), what is wrong beyond their form, and
 *    its routes. A billable route calls `commitTask`, which lets faults shape the task, then answers with the task
 *    (`taskAnswer`) or with its files once it is done (`finished`). Add the routes to the list below.
 * 2. Add the models it takes to `../models.ts`.
 * 3. Only for a new kind of media: add its word to `MEDIA_KINDS`, and write a `Maker` in `../media` and into
 *    `../media/makers.ts`. Its usual time, formats and fault rules follow from these.
 *
 * What is ordered at POST /v1/tasks has no route of its own: write a `GenericTask` and add it to `tasks.ts`.
 */
export const entries: readonly Route[] = [
  ...modelRoutes,
  ...videoRoutes,
  ...compatibleVideoRoutes,
  ...imageRoutes,
  ...typographyRoutes,
  ...jobStyleRoutes,
  ...textRoutes,
  ...generateContentRoutes,
  ...embeddingRoutes,
  ...webRoutes,
  ...speechRoutes,
  ...taskRoutes,
  ...musicRoutes,
  ...assetRoutes,
  ...assetGroupRoutes,
  ...resultRoutes,
];
