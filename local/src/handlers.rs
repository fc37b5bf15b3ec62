//! The functions of the template, each with its own handler: what Lambda would run from its binary.

use std::collections::BTreeMap;
use std::sync::Arc;

use holdfast::App;
use holdfast::lambda::Function;

/// Every function by its logical id.
pub fn handlers(app: &Arc<App>) -> BTreeMap<&'static str, Function> {
    let app = || Arc::clone(app);
    BTreeMap::from([
        ("BookingsFunction", bookings::function(app())),
        ("ConfirmFunction", confirm::function(app())),
        ("DefineShowFunction", define_show::function(app())),
        ("ExtendFunction", extend::function(app())),
        ("FallbackFunction", fallback::function(app())),
        ("HoldFunction", hold::function(app())),
        ("ReconcileFunction", reconcile::function(app())),
        ("RefundsFunction", refunds::function(app())),
        ("ReleaseFunction", release::function(app())),
        ("StockDecrementFunction", stock_decrement::function(app())),
    ])
}
