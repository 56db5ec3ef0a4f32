import type { PathSetting } from './kinds/spec.ts';

/** Where tools are asked. The reference describes these operations without their paths: each default is assumed. */
export const toolPaths: readonly PathSetting[] = [
  { name: 'embeddings', label: 'Compare texts by meaning', default: '/v1/embeddings' },
  { name: 'webSearch', label: 'Search the web', default: '/v1/web-search' },
  { name: 'webReader', label: 'Read a web page', default: '/v1/web-reader' },
];
