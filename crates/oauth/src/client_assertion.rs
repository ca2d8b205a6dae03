//! stub
#[derive(Default)]
pub(crate) struct AssertionGuard;
pub(crate) fn claimed_client(_: &str) -> Option<String> {
    None
}
impl crate::site::Site {
    pub(crate) async fn check_assertion(&self, _: &str, _: &str, _: Option<&serde_json::Value>, _: Option<&str>) -> bool {
        false
    }
}
