// Serves the OpenAPI document, and an interactive page that loads nothing from other origins.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { z } from '@hono/zod-openapi';
import packageJson from '../../package.json' with { type: 'json' };
import type { ApiDependencies } from '../dependencies.ts';
import { problem } from '../http/problems/problem.ts';
import { etagOf } from '../http/reference-answer.ts';
import { baseHeaders } from '../http/response.ts';
import type { Router } from '../http/route.ts';
import { openApiDocument } from './openapi-document.ts';

/** The files of the swagger-ui package that the page loads. Its other files are not served. */
const assets = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
} as const;

export function documentationRoutes(router: Router, deps: ApiDependencies): void {
  let text: string | undefined;
  router.addPublic(
    {
      method: 'get',
      path: '/openapi.json',
      operationId: 'getOpenApiDocument',
      summary: 'This document (OpenAPI 3.1)',
      tag: 'Service',
      answers: {
        200: {
          description: 'The document',
          content: { 'application/json': { schema: z.record(z.string(), z.unknown()) } },
        },
      },
    },
    () => {
      // build it on the first request, when every module has declared its routes
      text ??= JSON.stringify(openApiDocument(router.app, deps.config.publicUrl, packageJson.version));
      const headers = {
        ...baseHeaders,
        'content-type': 'application/json',
        'cache-control': 'public, max-age=60',
      };
      return new Response(text, { headers });
    },
  );
  addPage(router, deps.config.publicUrl);
}

function addPage(router: Router, publicUrl: string): void {
  const route = { method: 'get', tag: 'Service', hidden: true, answers: {} } as const;
  const shown = { ...baseHeaders, 'content-security-policy': pagePolicy(publicUrl) };
  router.addPublic(
    {
      ...route,
      path: '/reference',
      operationId: 'getReferencePage',
      summary: 'The interactive reference',
    },
    () => new Response(page, { headers: { ...shown, 'content-type': 'text/html; charset=utf-8' } }),
  );
  router.addPublic(
    { ...route, path: '/reference/start.js', operationId: 'getReferenceStart', summary: 'Starts the page' },
    () =>
      new Response(startScript, { headers: { ...shown, 'content-type': 'text/javascript; charset=utf-8' } }),
  );
  for (const [name, type] of Object.entries(assets)) {
    const loaded = lazily(() => loadAsset(name));
    router.addPublic(
      { ...route, path: `/reference/${name}`, operationId: `getReferenceAsset ${name}`, summary: name },
      async () => {
        const asset = await loaded().catch(() => undefined);
        if (asset === undefined) return problem('not-found');
        const headers = {
          ...shown,
          'content-type': type,
          'cache-control': 'public, no-cache',
          etag: asset.etag,
        };
        return { kind: 'kept', ...asset, headers };
      },
    );
  }
}

/**
 * The page's content security policy. It allows scripts and styles from this origin only. The page calls only
 * this service and its token endpoint.
 */
function pagePolicy(publicUrl: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${new URL(publicUrl).origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

async function loadAsset(name: string): Promise<Asset> {
  const file = fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`));
  const body = new Uint8Array(await readFile(file));
  return { body, etag: etagOf(body) };
}

/** Runs the work on first use and caches its result, but not a failure. */
function lazily<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let pending: Promise<Value> | undefined;
  return () => {
    pending ??= work().catch((error: unknown) => {
      pending = undefined;
      throw error;
    });
    return pending;
  };
}

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Isthmus API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/reference/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/reference/swagger-ui-bundle.js"></script>
    <script src="/reference/start.js"></script>
  </body>
</html>
`;

/** persistAuthorization is off, so that the browser forgets a secret when the page closes. */
const startScript = `window.reference = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`;
