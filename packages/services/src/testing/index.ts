export * from './changing-services.ts';
