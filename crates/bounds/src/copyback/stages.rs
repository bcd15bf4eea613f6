//! Stages of one page copy: Eqs 1 to 8, on any number of planes.

use super::timings::CopyTimings;
use flash::Ns;

/// Times of the stages of one operation, which reads and programs one page per plane, ns.
///
/// With k planes, e corrected bytes per page, B bytes moved per page, A = 2 + address cycles:
///
/// ```text
/// t_DO     = k·B·t_RC + (k−1)·(A·t_WC + t_CCS)                         (1)  06h-address-E0h between planes
/// t_DI     = k·B·t_WC                                                  (2)
/// t_DI_EC  = k·e·((2 + column cycles)·t_WC + t_CCS)                         85h-column-byte per corrected byte
/// t_DIO    = k·(B·t_RWC + t_DL + t_ECC) + (k−1)·(A·t_WC + t_CCS) + t_DI_EC  (3)
/// t_SR_SET = k·A·t_WC + (k−1)·(t_WB + t_DBSY) + t_WB + t_RR                 00h-address-32h ... 30h
/// t_SP_SET = k·(A·t_WC + t_ADL) + (k−1)·(t_WB + t_DBSY) + t_WB              80h-address ... 11h ... 10h
/// ```
///
/// Source: Jeong and Song, IEEE TCE 58(2), 2012, Eqs 1–8.
/// The paper prints one plane, without the last two definitions and without t_DI_EC ("omitted due to the page
/// limit", §V).
/// Cycle counts come from ONFI 2.1, the basis of the paper's reference 13.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stages {
    /// Data out of the source (Eq. 1).
    pub t_do_ns: Ns,
    /// Data into the destination (Eq. 2).
    pub t_di_ns: Ns,
    /// Corrected bytes sent again, part of Eq. 3.
    pub t_di_ec_ns: Ns,
    /// Direct data transfer, including corrected bytes (Eq. 3).
    pub t_dio_ns: Ns,
    /// Commands, addresses and internal delays of a read.
    pub t_sr_set_ns: Ns,
    /// Commands, addresses and internal delays of a program.
    pub t_sp_set_ns: Ns,
    /// Read busy.
    pub t_r_ns: Ns,
    /// Program busy.
    pub t_prog_ns: Ns,
    /// Time from the last byte to the ECC result, if the data waits for it.
    pub t_ecc_ns: Ns,
}

impl Stages {
    /// Stages on `planes` planes (1 to 4) with `corrected_bytes` sent again per page.
    pub fn of(timings: &CopyTimings, planes: u32, corrected_bytes: u32) -> Self {
        let (k, waits) = (u64::from(planes), &timings.waits);
        let (bytes, command) = (timings.moved_bytes(), timings.full_command_ns());
        let select = k.saturating_sub(1) * (command + waits.t_ccs_ns);
        let between = k.saturating_sub(1) * timings.between_planes_ns();
        let t_di_ec_ns = k * u64::from(corrected_bytes) * timings.correction_ns();
        let one_transfer = bytes * timings.t_rwc_ns() + waits.t_dl_ns + waits.t_ecc_ns;
        Self {
            t_do_ns: k * timings.data_out_ns() + select,
            t_di_ns: k * timings.data_in_ns(),
            t_di_ec_ns,
            t_dio_ns: k * one_transfer + select + t_di_ec_ns,
            t_sr_set_ns: k * command + between + waits.t_wb_ns + waits.t_rr_ns,
            t_sp_set_ns: k * (command + waits.t_adl_ns) + between + waits.t_wb_ns,
            t_r_ns: timings.t_r_ns,
            t_prog_ns: timings.t_prog_ns,
            t_ecc_ns: waits.t_ecc_ns,
        }
    }

    /// t_DIO_GAIN (Eq. 4): time that a direct data transfer saves over data out and in.
    ///
    /// Negative if the bytes sent again take longer than the second transfer.
    pub fn t_dio_gain_ns(&self) -> i64 {
        (self.t_di_ns + self.t_do_ns) as i64 - self.t_dio_ns as i64
    }

    /// t_SR: whole read (Eq. 5).
    pub fn t_sr_ns(&self) -> Ns {
        self.t_sr_set_ns + self.t_r_ns + self.t_do_ns
    }

    /// t_SP: whole program (Eq. 6).
    pub fn t_sp_ns(&self) -> Ns {
        self.t_sp_set_ns + self.t_di_ns + self.t_prog_ns
    }

    /// t_SR_EXC.D: read without its transfer (Eq. 7).
    pub fn t_sr_exc_d_ns(&self) -> Ns {
        self.t_sr_set_ns + self.t_r_ns
    }

    /// t_SP_EXC.D: program without its transfer (Eq. 8).
    pub fn t_sp_exc_d_ns(&self) -> Ns {
        self.t_sp_set_ns + self.t_prog_ns
    }

    /// Internal copy-back of `n` operations (Eq. 9).
    pub fn icb_ns(&self, n: u64) -> Ns {
        (self.t_sr_ns() + self.t_sp_exc_d_ns() + self.t_di_ec_ns) * n
    }

    /// Global copy-back of `n` operations (Eq. 10).
    pub fn gcb_ns(&self, n: u64) -> Ns {
        self.t_sr_ns() + self.t_sp_ns() * n
    }

    /// Global copy-back by direct data transfer of `n` operations (Eq. 11).
    pub fn dgcb_ns(&self, n: u64) -> Ns {
        self.t_sr_exc_d_ns() + (self.t_dio_ns + self.t_sp_exc_d_ns()) * n
    }

    /// Global copy-back with cache program (Eq. 12).
    pub fn gcb_cache_ns(&self, n: u64) -> Ns {
        self.t_sr_ns() + self.t_sp_set_ns + self.t_di_ns + self.t_prog_ns * n
    }

    /// Direct data transfer with cache program (Eq. 13).
    pub fn dgcb_cache_ns(&self, n: u64) -> Ns {
        self.t_sr_exc_d_ns() + self.t_dio_ns + self.t_sp_set_ns + self.t_prog_ns * n
    }
}
