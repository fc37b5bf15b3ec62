//! Between HTTP and the domain: [`call`] is a request, [`input`] turns it into typed values (all faults at once), [`problem`]
//! gives refusals and failures their status and words, [`view`] is how holds, shows and bookings look in JSON, [`routes`]
//! lists what there is, [`page`] is how lists look. `gateway` is what API Gateway says of a request.

pub mod answer;
pub mod call;
pub(crate) mod gateway;
pub mod input;
pub mod json;
pub mod page;
pub mod problem;
pub mod routes;
pub mod view;

pub use answer::Answer;
pub use call::Call;
pub use problem::Problem;
