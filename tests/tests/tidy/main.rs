//! What has to agree without any store: names, headers, keys, the template, the docs and the code. It reads the files
//! of the house as they lie in the repository.

mod alarms;
mod environment;
mod files;
mod header;
mod keys;
mod names;
mod openapi;
mod routes;
mod scripts;
mod tree;
mod windows;

use holdfast_tests::template;
