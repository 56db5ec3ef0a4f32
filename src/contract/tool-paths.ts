import type { PathSetting } from './kinds/spec.ts';
import { messageFor } from './messages/message-for.ts';

/** Where tools are asked. The reference describes these operations without their paths: each default is assumed. */
export const toolPaths: readonly PathSetting[] = [
  { name: 'embeddings', label: messageFor('path.embeddings'), default: '/v1/embeddings' },
  { name: 'webSearch', label: messageFor('path.webSearch'), default: '/v1/web-search' },
  { name: 'webReader', label: messageFor('path.webReader'), default: '/v1/web-reader' },
];
