//! What a reconcile needs of the stores.

use super::super::confirm::ConfirmPorts;
use crate::ports::{
    ComparePlaces, ExpireHolds, ForgetShow, InspectCache, KeepDrained, KeepLease, ListPinned, ListRefunds, ListShows,
    MarkClean, ReadEvents, RecountUnits, ScanPlaces, Stepwise, SurveyShow, UnloadShow, WriteAudit,
};

/// The ports of a reconcile.
pub trait ReconcilePorts:
    ConfirmPorts
    + Stepwise
    + SurveyShow
    + ListPinned
    + ComparePlaces
    + ScanPlaces
    + ExpireHolds
    + RecountUnits
    + ReadEvents
    + UnloadShow
    + ForgetShow
    + ListShows
    + KeepDrained
    + WriteAudit
    + MarkClean
    + KeepLease
    + ListRefunds
    + InspectCache
{
}
impl<T> ReconcilePorts for T where
    T: ConfirmPorts
        + Stepwise
        + SurveyShow
        + ListPinned
        + ComparePlaces
        + ScanPlaces
        + ExpireHolds
        + RecountUnits
        + ReadEvents
        + UnloadShow
        + ForgetShow
        + ListShows
        + KeepDrained
        + WriteAudit
        + MarkClean
        + KeepLease
        + ListRefunds
        + InspectCache
{
}
